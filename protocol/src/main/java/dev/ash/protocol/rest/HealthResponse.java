package dev.ash.protocol.rest;

import org.jspecify.annotations.Nullable;

/** The response of {@code GET /health}. */
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
     * The state of the gateway; absent from servers of earlier versions.
     *
     * @param status {@code off}, {@code starting}, {@code listening} or {@code failed}
     * @param url the address that is advertised to devices
     * @param reachable whether other machines can reach it
     * @param problem why it does not listen
     */
    public record Gateway(
            String status, @Nullable String url, boolean reachable, @Nullable String problem) {}

    /** The number of sandboxes in each state, and the capacity. */
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
