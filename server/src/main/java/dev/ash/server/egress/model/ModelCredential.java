package dev.ash.server.egress.model;

import dev.ash.server.egress.http.Headers;
import java.util.Set;
import java.util.regex.Pattern;

/** A key or token of a model API. Sandboxes never get one. */
public sealed interface ModelCredential {
    /** Sent as {@code x-api-key}. */
    record ApiKey(String secret) implements ModelCredential {
        public ApiKey {
            requireHeaderValue(secret);
        }

        @Override
        public String toString() {
            return "ApiKey[…]";
        }
    }

    /** A token of a subscription; sent as bearer token, with the beta header that it requires. */
    record OAuthToken(String secret) implements ModelCredential {
        public OAuthToken {
            requireHeaderValue(secret);
        }

        @Override
        public String toString() {
            return "OAuthToken[…]";
        }
    }

    /** A token of an LLM gateway in front of the model API; sent as bearer token. */
    record AuthToken(String secret) implements ModelCredential {
        public AuthToken {
            requireHeaderValue(secret);
        }

        @Override
        public String toString() {
            return "AuthToken[…]";
        }
    }

    /** A key of Google's API; sent as {@code x-goog-api-key}. */
    record GoogleKey(String secret) implements ModelCredential {
        public GoogleKey {
            requireHeaderValue(secret);
        }

        @Override
        public String toString() {
            return "GoogleKey[…]";
        }
    }

    String BETA = "anthropic-beta";
    String OAUTH_BETA = "oauth-2025-04-20";
    Pattern VISIBLE = Pattern.compile("[\\x21-\\x7E]{1,8192}");

    private static void requireHeaderValue(String secret) {
        if (!VISIBLE.matcher(secret).matches()) {
            throw new IllegalArgumentException(
                    "a model credential must be 1 to 8192 visible ASCII characters without spaces");
        }
    }

    /** Adds the credential to headers, which must not contain the sandbox's placeholder. */
    default Headers applyTo(Headers headers) {
        return switch (this) {
            case ApiKey(var secret) -> headers.with("x-api-key", secret);
            case GoogleKey(var secret) -> headers.with("x-goog-api-key", secret);
            case AuthToken(var secret) -> headers.with("Authorization", "Bearer " + secret);
            case OAuthToken(var secret) -> {
                var betas = headers.values(BETA);
                var all = betas.isEmpty() ? OAUTH_BETA : String.join(",", betas) + "," + OAUTH_BETA;
                yield headers.without(Set.of(BETA))
                        .with("Authorization", "Bearer " + secret)
                        .with(BETA, all);
            }
        };
    }
}
