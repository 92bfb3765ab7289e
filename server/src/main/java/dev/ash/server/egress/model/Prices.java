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
 * The prices of models, from {@code prices.txt} beside this class. Computes the cost of calls.
 *
 * @param countsUnknownModels whether a model without a price costs as much as the most expensive
 */
record Prices(List<Price> prices, boolean countsUnknownModels) {
    private static final double MILLION = 1_000_000;
    private static final double FIVE_MINUTES = 1.25;
    private static final double HOUR = 2;
    private static final double SEARCH_USD = 0.01;

    /** For requests that state no maximum; the largest output of current models. */
    private static final long DEFAULT_OUTPUT = 128_000;

    /** USD for a million tokens, once a prompt has {@code from} tokens. */
    record Price(String model, long from, double input, double output, double cacheRead) {
        double of(TokenCounts tokens) {
            double input = tokens.input() * this.input;
            double written =
                    tokens.cacheFiveMinutes() * this.input * FIVE_MINUTES
                            + tokens.cacheHour() * this.input * HOUR;
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
                throw new IllegalStateException("prices.txt is missing from the program");
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

    /** An upper bound, as if all input were written to the cache. */
    ModelUsage estimate(CallSize size) {
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
        return new ModelUsage(
                size.model(),
                input,
                0,
                0,
                output,
                cost(size.model(), tokens),
                knows(size.model()),
                false);
    }

    /** {@code whole}: whether {@code tokens} are the final numbers of the response. */
    ModelUsage usage(String model, TokenCounts tokens, boolean whole) {
        return new ModelUsage(
                model,
                tokens.input(),
                tokens.cacheCreation(),
                tokens.cacheRead(),
                tokens.output(),
                cost(model, tokens),
                knows(model),
                whole);
    }

    boolean knows(String model) {
        return price(model, 0).isPresent();
    }

    double cost(String model, TokenCounts tokens) {
        if (!countsUnknownModels && !knows(model)) {
            return 0;
        }
        return price(model, tokens.prompt())
                .map(price -> price.of(tokens))
                .orElseGet(() -> prices.stream().mapToDouble(p -> p.of(tokens)).max().orElse(0));
    }

    /** The longest name that the model's begins with: dated versions cost what the model does. */
    private Optional<Price> price(String model, long prompt) {
        return prices.stream()
                .filter(
                        price ->
                                model.equals(price.model())
                                        || model.startsWith(price.model() + "-"))
                .filter(price -> prompt >= price.from())
                .max(
                        Comparator.<Price>comparingInt(price -> price.model().length())
                                .thenComparingLong(Price::from));
    }
}
