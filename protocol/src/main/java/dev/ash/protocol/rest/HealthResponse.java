package dev.ash.protocol.rest;

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
        int orphans) {

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
