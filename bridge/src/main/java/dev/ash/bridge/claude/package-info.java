/**
 * Claude Code as an engine: the command line, its stream-json lines and its control protocol. What
 * the program says passes through as the bytes it wrote.
 */
@NullMarked
package dev.ash.bridge.claude;

import org.jspecify.annotations.NullMarked;
