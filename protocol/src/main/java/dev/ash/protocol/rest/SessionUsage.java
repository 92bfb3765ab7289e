package dev.ash.protocol.rest;

/** The model usage of a session, measured by the egress proxy. */
public record SessionUsage(
        long inputTokens,
        long outputTokens,
        long cacheCreationTokens,
        long cacheReadTokens,
        double costUsd) {

    public static final SessionUsage NONE = new SessionUsage(0, 0, 0, 0, 0);
}
