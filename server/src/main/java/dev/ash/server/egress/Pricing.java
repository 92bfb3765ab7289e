package dev.ash.server.egress;

import dev.ash.server.egress.request.CallSize;

/**
 * The cost of the calls of one session.
 *
 * @param countsUnknownModels whether a model that has no price costs as much as the most expensive
 */
record Pricing(Prices prices, boolean countsUnknownModels) {
    /** For requests that state no maximum; the largest output of current models. */
    private static final long DEFAULT_OUTPUT = 128_000;

    /** An upper bound, as if all input were written to the cache. */
    Usage estimate(CallSize size) {
        long output = size.maxOutputTokens() > 0 ? size.maxOutputTokens() : DEFAULT_OUTPUT;
        long input = size.inputTokens();
        var tokens =
                new TokenCounts(
                        0,
                        size.cachesForAnHour() ? 0 : input,
                        size.cachesForAnHour() ? input : 0,
                        0,
                        output,
                        size.searches());
        return new Usage(
                size.model(),
                input,
                0,
                0,
                output,
                cost(size.model(), tokens),
                prices.knows(size.model()),
                false);
    }

    Usage usage(String model, TokenCounts tokens, boolean whole) {
        return new Usage(
                model,
                tokens.input(),
                tokens.cacheCreation(),
                tokens.cacheRead(),
                tokens.output(),
                cost(model, tokens),
                prices.knows(model),
                whole);
    }

    private double cost(String model, TokenCounts tokens) {
        return countsUnknownModels || prices.knows(model) ? prices.cost(model, tokens) : 0;
    }
}
