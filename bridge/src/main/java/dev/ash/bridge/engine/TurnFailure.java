package dev.ash.bridge.engine;

/**
 * The reason for the failure of a turn, for users; {@code engineGone} if the engine exited
 * unexpectedly.
 */
public record TurnFailure(String message, boolean engineGone) {}
