package dev.ash.server.egress.model.request;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * What one session may send to its provider.
 *
 * @param providerTools the tools that the provider may run for it
 * @param strict whether fields that no table knows are rejected
 */
public record RequestPolicy(Provider provider, List<String> providerTools, boolean strict) {
    /** The largest body that is read. */
    public static final int MAX_BYTES = RequestCheck.MAX_BYTES;

    private static final Pattern DATED = Pattern.compile("-20[0-9]{2}-?[0-9]{2}-?[0-9]{2}$");
    private static final Pattern MODELS_QUERY =
            Pattern.compile(
                    "(limit|after_id|before_id|beta|client_version)=[A-Za-z0-9._:-]*"
                            + "(&(limit|after_id|before_id|beta|client_version)=[A-Za-z0-9._:-]*)*");

    /** Whose API is called. */
    public enum Provider {
        ANTHROPIC,
        OPENAI;

        private ProviderTable table() {
            return switch (this) {
                case ANTHROPIC -> AnthropicMessages.TABLE;
                case OPENAI -> OpenAiResponses.TABLE;
            };
        }
    }

    public RequestPolicy {
        providerTools = List.copyOf(providerTools);
    }

    public CheckedRequest checkBody(byte[] body) throws RequestRejectedException {
        return new RequestCheck(provider.table(), providerTools, strict).run(body);
    }

    /** {@code query} is what follows the question mark of a call with a body. */
    public void checkQuery(String query) throws RequestRejectedException {
        if (!provider.table().queries().contains(query)) {
            throw rejectedQuery(query);
        }
    }

    /** The same for a call that reads the list of models. */
    public static void checkModelsQuery(String query) throws RequestRejectedException {
        if (!MODELS_QUERY.matcher(query).matches()) {
            throw rejectedQuery(query);
        }
    }

    private static RequestRejectedException rejectedQuery(String query) {
        return RequestRejectedException.malformed(
                "its URL has the query \"%s\", which no engine sends"
                        .formatted(RequestRejectedException.printable(query)));
    }

    /** JSON in UTF-8, not compressed. Engines always say so; a request that says nothing passes. */
    public static void checkContent(Collection<String> types, Collection<String> encodings)
            throws RequestRejectedException {
        for (var encoding : encodings) {
            if (!encoding.equalsIgnoreCase("identity")) {
                throw new RequestRejectedException(
                        415,
                        "Ash rejected the model request: its Content-Encoding must be identity, not"
                                + " \"%s\""
                                        .formatted(RequestRejectedException.printable(encoding)));
            }
        }
        for (var type : types) {
            var plain = type.replace(" ", "").replace("\"", "").toLowerCase(Locale.ROOT);
            boolean json =
                    plain.equals("application/json")
                            || plain.equals("application/json;charset=utf-8");
            if (!json || types.size() > 1) {
                throw new RequestRejectedException(
                        415,
                        "Ash rejected the model request: its Content-Type must be application/json,"
                                + " once, not \"%s\""
                                        .formatted(RequestRejectedException.printable(type)));
            }
        }
    }

    /** A header as it may be sent on; empty if it may not. */
    public Optional<String> header(String name, String value) {
        var lower = name.toLowerCase(Locale.ROOT);
        if (provider.table().betaHeaders().contains(lower)) {
            var passing = new ArrayList<String>();
            for (var beta : value.split(",", -1)) {
                if (isKnownBeta(beta.strip())) {
                    passing.add(beta.strip());
                }
            }
            return passing.isEmpty() ? Optional.empty() : Optional.of(String.join(",", passing));
        }
        boolean feature = Arrays.asList(lower.split("[^a-z0-9]+", -1)).contains("beta");
        boolean outside =
                UnknownValue.namesSomethingOutside(lower)
                        || lower.contains("override")
                        || lower.contains("forwarded");
        return feature || outside ? Optional.empty() : Optional.of(value);
    }

    private boolean isKnownBeta(String beta) {
        var betas = provider.table().betas();
        return betas.contains(beta) || betas.contains(DATED.matcher(beta).replaceFirst(""));
    }
}
