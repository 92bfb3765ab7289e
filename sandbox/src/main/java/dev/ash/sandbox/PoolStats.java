package dev.ash.sandbox;

/**
 * Statistics of a pool: sandboxes by state, capacity, and counters.
 *
 * @param total sandboxes that run or start, and stopped ones that have files
 */
public record PoolStats(
        int total,
        int cold,
        int warming,
        int warm,
        int waiting,
        int running,
        int maxCapacity,
        long preWarmHits,
        long evictions) {}
