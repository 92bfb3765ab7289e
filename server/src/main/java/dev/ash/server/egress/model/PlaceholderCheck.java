package dev.ash.server.egress.model;

import dev.ash.server.egress.http.Headers;
import dev.ash.server.egress.http.ProxyException;
import java.util.List;
import java.util.function.Predicate;

/** Checks that a call contains the placeholder of its sandbox, wherever the APIs expect a key. */
final class PlaceholderCheck {
    private static final List<String> KEY_HEADERS = List.of("x-api-key", "x-goog-api-key");
    private static final String BEARER = "Bearer ";

    private final Predicate<String> isPlaceholder;

    PlaceholderCheck(Predicate<String> isPlaceholder) {
        this.isPlaceholder = isPlaceholder;
    }

    /** {@code queryKeys} are the keys in the query string. */
    void require(Headers headers, List<String> queryKeys) throws ProxyException {
        boolean isPresent =
                queryKeys.stream().anyMatch(isPlaceholder)
                        || KEY_HEADERS.stream()
                                .flatMap(name -> headers.values(name).stream())
                                .anyMatch(isPlaceholder)
                        || headers.values("authorization").stream().anyMatch(this::isBearer);
        if (!isPresent) {
            throw new ProxyException(
                    401,
                    "Ash: wrong key for this sandbox; use the value of its ANTHROPIC_API_KEY or ASH_MODEL_KEY");
        }
    }

    private boolean isBearer(String value) {
        return value.regionMatches(true, 0, BEARER, 0, BEARER.length())
                && isPlaceholder.test(value.substring(BEARER.length()).strip());
    }
}
