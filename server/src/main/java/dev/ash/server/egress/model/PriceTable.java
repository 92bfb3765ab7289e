package dev.ash.server.egress.model;

import dev.ash.protocol.engine.ModelProvider;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The prices of models by provider: those of the resource {@code prices.json}, which the operator
 * can override. Immutable.
 */
public final class PriceTable {
    /** Dates, revisions and release stages, which do not change the price of a model. */
    private static final Pattern VERSION_SUFFIX =
            Pattern.compile("(-([0-9]+|latest|preview|exp|thinking|customtools))*");

    private static final String MODELS_PATH = "models/";

    private final Map<ModelProvider, Provider> providers;

    /** The prices of one provider's models, by name. */
    record Provider(Price.Fees fees, Map<String, Price> models) {
        Provider {
            models = Map.copyOf(models);
        }

        /** Replaces the fees, and the prices of the models that {@code override} contains. */
        Provider with(Provider override) {
            var merged = new LinkedHashMap<>(models);
            merged.putAll(override.models);
            return new Provider(override.fees, merged);
        }
    }

    PriceTable(Map<ModelProvider, Provider> providers) {
        this.providers = Map.copyOf(providers);
    }

    private static final class BuiltIn {
        static final PriceTable TABLE = load();

        private static PriceTable load() {
            try (var in = PriceTable.class.getResourceAsStream("prices.json")) {
                if (in == null) {
                    throw new IllegalStateException("prices.json is missing from the build");
                }
                var text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
                return new PriceTable(PriceFile.parse("prices.json", text, Map.of()));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private BuiltIn() {}
    }

    /** Returns the table of this build, which is read when it is first used. */
    public static PriceTable builtIn() {
        return BuiltIn.TABLE;
    }

    /**
     * Returns the table of this build with the operator's prices.
     *
     * @param source the origin of the text, for error messages
     * @throws dev.ash.protocol.ApiException if the text is invalid; the message names the field
     */
    public static PriceTable withOverrides(String source, String json) {
        var builtIn = builtIn().providers;
        var merged = new EnumMap<ModelProvider, Provider>(builtIn);
        PriceFile.parse(source, json, builtIn)
                .forEach((provider, own) -> merged.merge(provider, own, Provider::with));
        return new PriceTable(merged);
    }

    /** Returns the prices for calls to a provider's API, of standard speed. */
    Prices of(ModelProvider provider) {
        return new Prices(this, provider, true, false);
    }

    /**
     * Finds the entry of a model. Routers put the name of the provider before the model's, as in
     * {@code anthropic/claude-sonnet-4.5}.
     */
    Optional<Price> find(ModelProvider provider, String model) {
        var name = model.startsWith(MODELS_PATH) ? model.substring(MODELS_PATH.length()) : model;
        var own = longestMatch(provider, name);
        int slash = name.indexOf('/');
        if (own.isPresent() || slash < 0) {
            return own;
        }
        var rest = name.substring(slash + 1);
        return ModelProvider.find(name.substring(0, slash))
                .flatMap(
                        vendor ->
                                longestMatch(vendor, rest)
                                        .or(() -> longestMatch(vendor, rest.replace('.', '-'))));
    }

    private Optional<Price> longestMatch(ModelProvider provider, String model) {
        return models(provider).entrySet().stream()
                .filter(entry -> isVersionOf(model, entry.getKey()))
                .max(Map.Entry.comparingByKey(Comparator.comparingInt(String::length)))
                .map(Map.Entry::getValue);
    }

    private static boolean isVersionOf(String model, String name) {
        return model.startsWith(name)
                && VERSION_SUFFIX.matcher(model.substring(name.length())).matches();
    }

    /** Returns the cost of a call as if its model were the provider's most expensive one. */
    double maxCost(ModelProvider provider, TokenCounts tokens, boolean isPriority) {
        return models(provider).values().stream()
                .mapToDouble(price -> price.cost(tokens, isPriority))
                .max()
                .orElse(0);
    }

    private Map<String, Price> models(ModelProvider provider) {
        var found = providers.get(provider);
        return found == null ? Map.of() : found.models();
    }
}
