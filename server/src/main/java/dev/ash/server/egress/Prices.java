package dev.ash.server.egress;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** What tokens cost, from {@code prices.txt} beside this class. */
final class Prices {
    private static final double MILLION = 1_000_000;
    private static final double FIVE_MINUTES = 1.25;
    private static final double HOUR = 2;
    private static final double SEARCH_USD = 0.01;

    /** USD for a million tokens, once a prompt has {@code from} tokens. */
    private record Price(String model, long from, double input, double output, double cacheRead) {
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

    private final List<Price> prices;

    private Prices(List<Price> prices) {
        this.prices = prices;
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
        return new Prices(prices);
    }

    boolean knows(String model) {
        return price(model, 0).isPresent();
    }

    /** An unknown model counts as the dearest: a budget must hold for it as well. */
    double cost(String model, TokenCounts tokens) {
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
