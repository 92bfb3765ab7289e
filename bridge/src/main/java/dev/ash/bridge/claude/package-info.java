/**
 * The driver of Claude Code: its command line, its stream-json output and its control protocol.
 * Messages are forwarded unchanged.
 */
@NullMarked
package dev.ash.bridge.claude;

import org.jspecify.annotations.NullMarked;
