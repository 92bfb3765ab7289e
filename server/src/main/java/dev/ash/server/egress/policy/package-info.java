/**
 * Decides which hosts a sandbox may reach: host patterns, allowlists, address ranges and the error
 * messages of denials. Opens no connections.
 */
@NullMarked
package dev.ash.server.egress.policy;

import org.jspecify.annotations.NullMarked;
