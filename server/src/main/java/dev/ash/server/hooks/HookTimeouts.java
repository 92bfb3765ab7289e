package dev.ash.server.hooks;

import java.time.Duration;

/**
 * Timeouts of terminal sessions.
 *
 * @param answer the time to wait for an answer before the terminal shows its own prompt
 * @param silence the time without events after which a session is ended; zero for never
 */
public record HookTimeouts(Duration answer, Duration silence) {}
