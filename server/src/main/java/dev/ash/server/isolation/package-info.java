/**
 * Decides what a session may use and reach: requested by its client and its agent, granted by the
 * server's settings. Enforces nothing; see {@code egress} and the sandbox module.
 */
@NullMarked
package dev.ash.server.isolation;

import org.jspecify.annotations.NullMarked;
