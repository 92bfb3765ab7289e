package dev.ash.server.egress.model;

import dev.ash.server.egress.model.request.CallSize;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The price table of models, loaded from the resource {@code prices.txt}; computes the cost of
 * calls.
 *
 * @param countsUnknownModels whether a model without a price costs as much as the most expensive
 *     one
 */
record Prices(List<Price> prices, boolean countsUnknownModels) {
    private static final double MILLION = 1_000_000;
    private static final double CACHE_FIVE_MINUTES_FACTOR = 1.25;
    private static final double CACHE_HOUR_FACTOR = 2;
    private static final double SEARCH_USD = 0.01;

    /** Assumed for requests without a maximum: the largest output of current models. */
    private static final long DEFAULT_MAX_OUTPUT = 128_000;

    /** Prices in USD per million tokens, for prompts of at least {@code minPrompt} tokens. */
    record Price(String model, long minPrompt, double input, double output, double cacheRead) {
        double cost(TokenCounts tokens) {
            double input = tokens.input() * this.input;
            double written =
                    tokens.cacheFiveMinutes() * this.input * CACHE_FIVE_MINUTES_FACTOR
                            + tokens.cacheHour() * this.input * CACHE_HOUR_FACTOR;
            double read = tokens.cacheRead() * cacheRead;
            return (input + written + read + tokens.output() * output) / MILLION
                    + tokens.searches() * SEARCH_USD;
        }
    }

    Prices {
        prices = List.copyOf(prices);
    }

    static Prices load() {
        try (var in = Prices.class.getResourceAsStream("prices.txt")) {
            if (in == null) {
                throw new IllegalStateException("prices.txt is missing from the build");
            }
            return parse(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Prices parse(String table) {
        var prices = new ArrayList<Price>();
        for (var line : table.lines().filter(l -> !l.isBlank() && !l.startsWith("#")).toList()) {
            var words = line.strip().split(" +", -1);
            prices.add(
                    new Price(
                            words[0],
                            Long.parseLong(words[1]),
                            Double.parseDouble(words[2]),
                            Double.parseDouble(words[3]),
                            Double.parseDouble(words[4])));
        }
        return new Prices(prices, true);
    }

    Prices countingUnknownModels(boolean counted) {
        return new Prices(prices, counted);
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
        return find(model, 0).isPresent();
    }

    double cost(String model, TokenCounts tokens) {
        if (!countsUnknownModels && !hasPrice(model)) {
            return 0;
        }
        return find(model, tokens.prompt())
                .map(price -> price.cost(tokens))
                .orElseGet(() -> prices.stream().mapToDouble(p -> p.cost(tokens)).max().orElse(0));
    }

    /** Finds the entry with the longest matching name; dated versions of a model have its price. */
    private Optional<Price> find(String model, long prompt) {
        return prices.stream()
                .filter(
                        price ->
                                model.equals(price.model())
                                        || model.startsWith(price.model() + "-"))
                .filter(price -> prompt >= price.minPrompt())
                .max(
                        Comparator.<Price>comparingInt(price -> price.model().length())
                                .thenComparingLong(Price::minPrompt));
    }
}
