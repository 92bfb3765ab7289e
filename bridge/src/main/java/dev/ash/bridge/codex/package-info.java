/**
 * The driver of OpenAI's Codex: {@code codex app-server}, one process that is kept between turns.
 * Its messages are translated to the format of Claude Code and include the original line, so that
 * every client works with it.
 */
@NullMarked
package dev.ash.bridge.codex;

import org.jspecify.annotations.NullMarked;
