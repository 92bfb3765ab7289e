/**
 * The only network access of a sandbox: a proxy for each, on a Unix socket of its own. This package
 * opens the proxies and dispatches their requests to the model API ({@code model}), to hosts that
 * the policy allows ({@code policy}) and to tools of the server. Knows no sessions and no database.
 */
@NullMarked
package dev.ash.server.egress;

import org.jspecify.annotations.NullMarked;
