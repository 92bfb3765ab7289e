package dev.ash.server.egress.model.request;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The rules for the model requests of one session.
 *
 * @param providerTools the tools that the provider may run
 * @param strict whether unknown fields are rejected
 */
public record RequestPolicy(Provider provider, List<String> providerTools, boolean strict) {
    /** Maximum size of a body. */
    public static final int MAX_BYTES = RequestCheck.MAX_BYTES;

    private static final Pattern DATE_SUFFIX = Pattern.compile("-20[0-9]{2}-?[0-9]{2}-?[0-9]{2}$");
    private static final Pattern MODELS_QUERY =
            Pattern.compile(
                    "(limit|after_id|before_id|beta|client_version)=[A-Za-z0-9._:-]*"
                            + "(&(limit|after_id|before_id|beta|client_version)=[A-Za-z0-9._:-]*)*");

    /** The provider whose API is called. */
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
        return new RequestCheck(provider.table(), providerTools, strict).check(body);
    }

    /** Checks the query string of a call with a body. */
    public void checkQuery(String query) throws RequestRejectedException {
        if (!provider.table().queries().contains(query)) {
            throw rejectedQuery(query);
        }
    }

    /** Checks the query string of a call that lists models. */
    public static void checkModelsQuery(String query) throws RequestRejectedException {
        if (!MODELS_QUERY.matcher(query).matches()) {
            throw rejectedQuery(query);
        }
    }

    private static RequestRejectedException rejectedQuery(String query) {
        return RequestRejectedException.malformed(
                "the query string \"%s\" is not permitted"
                        .formatted(RequestRejectedException.printable(query)));
    }

    /** Requires uncompressed JSON in UTF-8; accepts requests without these headers. */
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
                        "Ash rejected the model request: it must have one Content-Type,"
                                + " application/json, not \"%s\""
                                        .formatted(RequestRejectedException.printable(type)));
            }
        }
    }

    /** Returns the permitted part of a header's value; empty if the header must be removed. */
    public Optional<String> permittedValue(String name, String value) {
        var lower = name.toLowerCase(Locale.ROOT);
        if (provider.table().betaHeaders().contains(lower)) {
            var permitted = new ArrayList<String>();
            for (var beta : value.split(",", -1)) {
                if (isKnownBeta(beta.strip())) {
                    permitted.add(beta.strip());
                }
            }
            return permitted.isEmpty()
                    ? Optional.empty()
                    : Optional.of(String.join(",", permitted));
        }
        boolean betaHeader = Arrays.asList(lower.split("[^a-z0-9]+", -1)).contains("beta");
        boolean externalResource =
                UnknownValue.denotesExternalResource(lower)
                        || lower.contains("override")
                        || lower.contains("forwarded");
        return betaHeader || externalResource ? Optional.empty() : Optional.of(value);
    }

    private boolean isKnownBeta(String beta) {
        var betas = provider.table().betas();
        return betas.contains(beta) || betas.contains(DATE_SUFFIX.matcher(beta).replaceFirst(""));
    }
}
