package dev.ash.bridge.engine;

/**
 * Why a turn failed, as a sentence for people; {@code engineGone} if the engine died of itself
 * under it.
 */
public record Failure(String message, boolean engineGone) {}
