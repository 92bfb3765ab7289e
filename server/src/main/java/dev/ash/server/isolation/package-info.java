/**
 * Decides the resources and network access of sessions: requested by the client and the agent,
 * granted by the server's settings. {@code egress} and the sandbox module enforce the decision.
 */
@NullMarked
package dev.ash.server.isolation;

import org.jspecify.annotations.NullMarked;
