package dev.ash.server.egress.model;

import dev.ash.protocol.engine.ModelProvider;
import dev.ash.server.egress.model.request.CallSize;

/**
 * Computes the cost of calls to the API of one provider.
 *
 * @param countsUnknownModels whether a model without a price costs as much as the most expensive
 *     one of the provider; otherwise it is free
 * @param isPriority whether the call uses faster processing at a higher price
 */
record Prices(
        PriceTable table, ModelProvider provider, boolean countsUnknownModels, boolean isPriority) {
    /** Assumed for requests without a maximum: the largest output of current models. */
    private static final long DEFAULT_MAX_OUTPUT = 128_000;

    Prices countingUnknownModels(boolean counted) {
        return new Prices(table, provider, counted, isPriority);
    }

    Prices withPriority(boolean priority) {
        return new Prices(table, provider, countsUnknownModels, priority);
    }

    /** Returns an upper bound of the usage, as if all input were written to the cache. */
    ModelUsage estimate(CallSize size) {
        long output = size.maxOutputTokens() > 0 ? size.maxOutputTokens() : DEFAULT_MAX_OUTPUT;
        long input = size.inputTokens();
        var tokens =
                new TokenCounts(
                        0,
                        size.cachesForAnHour() ? 0 : input,
                        size.cachesForAnHour() ? input : 0,
                        0,
                        output,
                        size.searches());
        return new ModelUsage(
                size.model(),
                input,
                0,
                0,
                output,
                cost(size.model(), tokens),
                hasPrice(size.model()),
                false);
    }

    /** {@code complete}: whether {@code tokens} are the final counts of the response. */
    ModelUsage usage(String model, TokenCounts tokens, boolean complete) {
        return new ModelUsage(
                model,
                tokens.input(),
                tokens.cacheCreation(),
                tokens.cacheRead(),
                tokens.output(),
                cost(model, tokens),
                hasPrice(model),
                complete);
    }

    boolean hasPrice(String model) {
        return table.find(provider, model).isPresent();
    }

    double cost(String model, TokenCounts tokens) {
        return table.find(provider, model)
                .map(price -> price.cost(tokens, isPriority))
                .orElseGet(
                        () ->
                                countsUnknownModels
                                        ? table.maxCost(provider, tokens, isPriority)
                                        : 0.0);
    }
}
