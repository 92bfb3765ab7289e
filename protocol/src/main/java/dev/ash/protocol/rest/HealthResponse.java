package dev.ash.protocol.rest;

import org.jspecify.annotations.Nullable;

/** The answer of {@code GET /health}. */
public record HealthResponse(
        String status,
        String version,
        String coordinatorId,
        long activeSessions,
        int activeSandboxes,
        int remoteRunners,
        long uptime,
        Pool pool,
        Isolation isolation,
        String engine,
        int orphans,
        @Nullable Gateway gateway) {

    /**
     * Where devices connect; absent from servers of earlier versions.
     *
     * @param status {@code off}, {@code starting}, {@code listening} or {@code failed}
     * @param url the address that devices are told
     * @param reachable whether other machines can reach it
     * @param problem why it does not listen
     */
    public record Gateway(
            String status, @Nullable String url, boolean reachable, @Nullable String problem) {}

    /** How many sandboxes are in which state, and how many there may be. */
    public record Pool(
            int total,
            int cold,
            int warming,
            int warm,
            int waiting,
            int running,
            int maxCapacity,
            long resumeWarmHits,
            long resumeColdHits,
            long preWarmHits) {}
}
