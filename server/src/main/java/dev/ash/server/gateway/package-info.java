/**
 * The gateway: the WebSocket API through which devices (phones and browsers) follow sessions, send
 * prompts and answer approvals. {@link dev.ash.server.gateway.Gateway} assembles it.
 */
@NullMarked
package dev.ash.server.gateway;

import org.jspecify.annotations.NullMarked;
