package dev.ash.server.hooks;

import java.time.Duration;

/**
 * How long terminals are waited for.
 *
 * @param answer how long a terminal waits for an answer before it asks by itself
 * @param silence after how long without an event a terminal counts as gone; zero for never
 */
public record HookTimes(Duration answer, Duration silence) {}
