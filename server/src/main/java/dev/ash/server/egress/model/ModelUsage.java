package dev.ash.server.egress.model;

/**
 * What one call to the model used.
 *
 * @param cacheCreation tokens written to the cache, for five minutes or an hour
 * @param costUsd by the table of prices; for a model that is not in it, by the dearest price there
 * @param priced whether the model is in that table
 * @param whole false if the answer broke off before the model said its final numbers; the tokens of
 *     the answer are then an estimate from its length
 */
public record ModelUsage(
        String model,
        long input,
        long cacheCreation,
        long cacheRead,
        long output,
        double costUsd,
        boolean priced,
        boolean whole) {}
