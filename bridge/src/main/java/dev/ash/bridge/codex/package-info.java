/**
 * OpenAI's Codex as an engine: {@code codex app-server}, one process that is kept between turns.
 * What it says is given in the shapes of Claude Code's messages, with its own line beside it, so
 * that every client works with it.
 */
@NullMarked
package dev.ash.bridge.codex;

import org.jspecify.annotations.NullMarked;
