/**
 * JSON-RPC over the lines of a child process, for engines that speak it: calls both ways, each by
 * its id, and notifications.
 */
@NullMarked
package dev.ash.bridge.rpc;

import org.jspecify.annotations.NullMarked;
