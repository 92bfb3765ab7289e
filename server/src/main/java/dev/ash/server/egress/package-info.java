/**
 * The one way out of a sandbox: a proxy on a Unix socket of its own for each. Calls to the model
 * get the real credential here and are counted; other hosts are reached only if the policy names
 * them. Everything that arrives on such a socket is hostile. Nothing here knows sessions or the
 * store.
 */
@NullMarked
package dev.ash.server.egress;

import org.jspecify.annotations.NullMarked;
