package dev.ash.server.egress.model;

/**
 * The usage of one model call.
 *
 * @param cacheCreation tokens written to the cache, for five minutes or an hour
 * @param costUsd according to the price table; a model without a price may cost as much as the most
 *     expensive one
 * @param priced whether the model is in the price table
 * @param complete false if the response was truncated before its final counts; the output tokens
 *     are then estimated from its length
 */
public record ModelUsage(
        String model,
        long input,
        long cacheCreation,
        long cacheRead,
        long output,
        double costUsd,
        boolean priced,
        boolean complete) {}
