package dev.ash.server.egress.model.request;

/**
 * The size of a model call, estimated from its request. All numbers are upper bounds for ordinary
 * content.
 *
 * @param model the model name in the request; empty if there is none
 * @param maxOutputTokens the maximum in the request; 0 if there is none
 * @param searches the maximum number of web searches by the provider
 * @param cachesForAnHour whether the input may be written to the cache for an hour
 * @param isPriority whether the request selects faster processing at a higher price
 */
public record CallSize(
        String model,
        long inputTokens,
        long maxOutputTokens,
        long searches,
        boolean cachesForAnHour,
        boolean isPriority) {
    /** Upper limit of estimates: requests above the context size of a model fail without cost. */
    public static final long MAX_TOKENS = 1_000_000;

    /** Returns the size of a call whose path contains the model name. */
    public CallSize withModel(String name) {
        return new CallSize(
                name, inputTokens, maxOutputTokens, searches, cachesForAnHour, isPriority);
    }
}
