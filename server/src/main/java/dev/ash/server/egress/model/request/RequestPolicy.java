package dev.ash.server.egress.model.request;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The rules for the requests of one session in one format.
 *
 * @param providerTools the tools that the provider may run
 * @param strict whether unknown fields are rejected
 */
public record RequestPolicy(RequestFormat format, List<String> providerTools, boolean strict) {
    /** Maximum size of a body. */
    public static final int MAX_BYTES = RequestCheck.MAX_BYTES;

    private static final Pattern DATE_SUFFIX = Pattern.compile("-20[0-9]{2}-?[0-9]{2}-?[0-9]{2}$");
    private static final Pattern MODELS_QUERY =
            Pattern.compile(
                    "PARAMETER(&PARAMETER)*"
                            .replace(
                                    "PARAMETER",
                                    "(limit|after_id|before_id|beta|client_version|pageSize|pageToken)"
                                            + "=[A-Za-z0-9._:-]*"));

    /** Headers of Google's clients; others can change the project or the fields of the response. */
    private static final String GOOGLE_HEADER = "x-goog-";

    private static final String GOOGLE_CLIENT_HEADER = "x-goog-api-client";

    public RequestPolicy {
        providerTools = List.copyOf(providerTools);
    }

    public CheckedRequest checkBody(byte[] body) throws RequestRejectedException {
        return new RequestCheck(format.table(), providerTools, strict).check(body);
    }

    /** Checks the query string of a call with a body; an absent one is empty. */
    public static void checkQuery(String query, List<String> permitted)
            throws RequestRejectedException {
        if (!permitted.contains(query)) {
            throw rejectedQuery(
                    query,
                    permitted.stream()
                            .map(text -> text.isEmpty() ? "none" : text)
                            .collect(Collectors.joining(" or ", "; expected ", "")));
        }
    }

    /** Checks the query string of a call that lists models. */
    public static void checkModelsQuery(String query) throws RequestRejectedException {
        if (!MODELS_QUERY.matcher(query).matches()) {
            throw rejectedQuery(query, "");
        }
    }

    private static RequestRejectedException rejectedQuery(String query, String expected) {
        return RequestRejectedException.malformed(
                "the query string \"%s\" is not permitted%s"
                        .formatted(RequestRejectedException.printable(query), expected));
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
        if (format.table().betaHeaders().contains(lower)) {
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
        boolean googleHeader =
                lower.startsWith(GOOGLE_HEADER) && !lower.equals(GOOGLE_CLIENT_HEADER);
        return betaHeader || externalResource || googleHeader
                ? Optional.empty()
                : Optional.of(value);
    }

    private boolean isKnownBeta(String beta) {
        var betas = format.table().betas();
        return betas.contains(beta) || betas.contains(DATE_SUFFIX.matcher(beta).replaceFirst(""));
    }
}
