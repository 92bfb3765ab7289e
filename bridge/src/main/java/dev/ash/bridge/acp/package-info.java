/**
 * The driver of engines that implement the Agent Client Protocol, version 1: JSON-RPC over the
 * stdin and stdout of one process that is kept between turns. Updates are translated to messages in
 * the format of Claude Code and include the original line. The engine uses its own tools: the
 * driver offers it neither files nor terminals.
 */
@NullMarked
package dev.ash.bridge.acp;

import org.jspecify.annotations.NullMarked;
