/**
 * The egress proxies: each sandbox reaches the network only through its own proxy, on a Unix
 * socket. This package opens the proxies and dispatches their requests to the model API ({@code
 * model}), to hosts that the policy allows ({@code policy}) and to tools of the server. Independent
 * of sessions and of the database.
 */
@NullMarked
package dev.ash.server.egress;

import org.jspecify.annotations.NullMarked;
