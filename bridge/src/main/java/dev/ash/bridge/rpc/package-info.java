/**
 * JSON-RPC over the stdin and stdout of a child process, for engines that use it: requests in both
 * directions, and notifications.
 */
@NullMarked
package dev.ash.bridge.rpc;

import org.jspecify.annotations.NullMarked;
