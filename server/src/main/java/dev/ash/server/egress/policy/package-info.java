/**
 * Decides which hosts a sandbox may reach: host patterns, allowlists, address ranges and the
 * reasons of denials. Opens no connections.
 */
@NullMarked
package dev.ash.server.egress.policy;

import org.jspecify.annotations.NullMarked;
