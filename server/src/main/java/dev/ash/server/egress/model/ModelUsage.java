package dev.ash.server.egress.model;

/**
 * The usage of one call to the model.
 *
 * @param cacheCreation tokens written to the cache, for five minutes or an hour
 * @param costUsd by the table of prices; for a model that is not in it, by the most expensive one
 * @param priced whether the model is in that table
 * @param whole false if the response broke off before its final numbers; the output tokens are then
 *     estimated from its length
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
