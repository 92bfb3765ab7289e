package dev.ash.server.egress.model;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.engine.ModelProvider;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.MalformedJsonException;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Reads price tables in JSON: those of this build, and those of operators. */
final class PriceFile {
    private static final int VERSION = 1;
    private static final double MAX_PRICE = 1_000_000;
    private static final Set<String> FEES =
            Set.of("cacheWrite", "cacheWriteHour", "priority", "webSearch");
    private static final Price.Fees NO_FEES = new Price.Fees(1, 1, 1, 0);

    private final String source;

    private PriceFile(String source) {
        this.source = source;
    }

    /** Returns the providers of a table; absent fees are those of {@code defaults}. */
    static Map<ModelProvider, PriceTable.Provider> parse(
            String source, String json, Map<ModelProvider, PriceTable.Provider> defaults) {
        var file = new PriceFile(source);
        try {
            var root = JsonObject.parse(json);
            file.requireNames("", root, Set.of("version", "note", "providers"));
            if (root.number("version").orElse(VERSION) != VERSION) {
                throw file.invalid("version", "must be " + VERSION);
            }
            var providers = file.object("", root, "providers");
            var parsed = new EnumMap<ModelProvider, PriceTable.Provider>(ModelProvider.class);
            for (var name : providers.names()) {
                var provider =
                        ModelProvider.find(name).orElseThrow(() -> file.unknownProvider(name));
                var known = defaults.get(provider);
                var fees = known == null ? NO_FEES : known.fees();
                var path = "providers." + name;
                parsed.put(
                        provider,
                        file.provider(path, file.object("providers", providers, name), fees));
            }
            return parsed;
        } catch (MalformedJsonException e) {
            throw new ApiException(
                    ErrorCode.VALIDATION_FAILED,
                    "%s is not a table of prices: %s".formatted(source, e.getMessage()),
                    e);
        }
    }

    private PriceTable.Provider provider(String path, JsonObject json, Price.Fees defaults)
            throws MalformedJsonException {
        requireNames(path, json, with(FEES, "date", "source", "note", "models"));
        var fees = fees(path, json, defaults);
        var models = new LinkedHashMap<String, Price>();
        if (json.present("models").isPresent()) {
            var object = object(path, json, "models");
            for (var name : object.names()) {
                models.put(
                        name,
                        model(
                                path + ".models." + name,
                                object(path + ".models", object, name),
                                fees));
            }
        }
        return new PriceTable.Provider(fees, models);
    }

    private Price model(String path, JsonObject json, Price.Fees fees)
            throws MalformedJsonException {
        requireNames(path, json, with(FEES, "input", "output", "cacheRead", "longPrompt"));
        var rates = rates(path, json);
        var longPrompt = new Price.LongPrompt(Long.MAX_VALUE, rates);
        if (json.present("longPrompt").isPresent()) {
            var longer = path + ".longPrompt";
            var object = object(path, json, "longPrompt");
            requireNames(longer, object, Set.of("minTokens", "input", "output", "cacheRead"));
            var minTokens = object.number("minTokens");
            if (minTokens.isEmpty() || minTokens.getAsLong() < 1) {
                throw invalid(longer + ".minTokens", "must be a number of tokens of at least 1");
            }
            longPrompt = new Price.LongPrompt(minTokens.getAsLong(), rates(longer, object));
        }
        return new Price(rates, fees(path, json, fees), longPrompt);
    }

    private Price.Rates rates(String path, JsonObject json) {
        double input = price(path, json, "input").orElseThrow(() -> required(path, "input"));
        double output = price(path, json, "output").orElseThrow(() -> required(path, "output"));
        return new Price.Rates(input, output, price(path, json, "cacheRead").orElse(input));
    }

    private Price.Fees fees(String path, JsonObject json, Price.Fees defaults) {
        return new Price.Fees(
                price(path, json, "cacheWrite").orElse(defaults.cacheWrite()),
                price(path, json, "cacheWriteHour").orElse(defaults.cacheWriteHour()),
                price(path, json, "priority").orElse(defaults.priority()),
                price(path, json, "webSearch").orElse(defaults.webSearch()));
    }

    private Optional<Double> price(String path, JsonObject json, String name) {
        return json.present(name)
                .map(
                        value -> {
                            var price = number(value.toString());
                            if (price == null || !(price >= 0 && price <= MAX_PRICE)) {
                                throw invalid(
                                        path + "." + name,
                                        "must be a number from 0 to %,.0f".formatted(MAX_PRICE));
                            }
                            return price;
                        });
    }

    /** Returns null for a value that is not a JSON number. */
    private static @Nullable Double number(String json) {
        try {
            return Double.valueOf(json);
        } catch (NumberFormatException e) {
            return null;
        }
    }

    private JsonObject object(String path, JsonObject json, String name)
            throws MalformedJsonException {
        return json.object(name)
                .orElseThrow(
                        () ->
                                invalid(
                                        path.isEmpty() ? name : path + "." + name,
                                        "must be an object"));
    }

    private void requireNames(String path, JsonObject json, Set<String> known) {
        for (var name : json.names()) {
            if (!known.contains(name)) {
                throw invalid(
                        path.isEmpty() ? name : path + "." + name,
                        "is unknown; expected " + String.join(", ", new TreeSet<>(known)));
            }
        }
    }

    private static Set<String> with(Set<String> names, String... more) {
        var all = new TreeSet<>(names);
        all.addAll(Arrays.asList(more));
        return all;
    }

    private ApiException required(String path, String name) {
        return invalid(path + "." + name, "is required: a price in USD per million tokens");
    }

    private ApiException unknownProvider(String name) {
        return invalid(
                "providers." + name,
                Arrays.stream(ModelProvider.values())
                        .map(ModelProvider::wire)
                        .collect(
                                Collectors.joining(
                                        ", ", "is not a provider with prices; expected ", "")));
    }

    private ApiException invalid(String path, String problem) {
        return new ApiException(
                ErrorCode.VALIDATION_FAILED, "%s: %s %s".formatted(source, path, problem));
    }
}
