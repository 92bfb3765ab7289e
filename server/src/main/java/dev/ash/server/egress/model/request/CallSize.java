package dev.ash.server.egress.model.request;

/**
 * What the cost of a call depends on, as far as its request shows it. All numbers are upper bounds
 * for ordinary content.
 *
 * @param model as the request names it; empty if it names none
 * @param maxOutputTokens 0 if the request states no maximum
 * @param searches how often the provider may search the web for it
 * @param cachesForAnHour whether the input may be written to the cache for an hour
 */
public record CallSize(
        String model,
        long inputTokens,
        long maxOutputTokens,
        long searches,
        boolean cachesForAnHour) {
    /** More than the context of any model: a request that exceeds it fails and costs nothing. */
    public static final long MAX_TOKENS = 1_000_000;
}
