package dev.ash.protocol.rest;

/** What a session has used of the model, counted where its calls leave the server. */
public record SessionUsage(
        long inputTokens,
        long outputTokens,
        long cacheCreationTokens,
        long cacheReadTokens,
        double costUsd) {

    public static final SessionUsage NONE = new SessionUsage(0, 0, 0, 0, 0);
}
