package dev.ash.sandbox;

/**
 * How many sandboxes are in which state, how many may run, and what the pool has done so far.
 *
 * @param total those that run, start or are only files
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
