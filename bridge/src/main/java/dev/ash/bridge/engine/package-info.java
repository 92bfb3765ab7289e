/**
 * Code shared by all engine drivers: the interface to the bridge, the stored conversation, the
 * child process with its current turn and open questions, and the message format.
 */
@NullMarked
package dev.ash.bridge.engine;

import org.jspecify.annotations.NullMarked;
