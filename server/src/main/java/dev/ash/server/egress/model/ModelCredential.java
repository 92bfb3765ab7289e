package dev.ash.server.egress.model;

import dev.ash.server.egress.http.Headers;
import java.util.Set;
import java.util.regex.Pattern;

/** A key of a model API. No sandbox ever holds one. */
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

    /** Of a subscription; sent as bearer, with the beta header that such tokens need. */
    record OAuthToken(String secret) implements ModelCredential {
        public OAuthToken {
            requireHeaderValue(secret);
        }

        @Override
        public String toString() {
            return "OAuthToken[…]";
        }
    }

    /** Of a gateway in front of the model; sent as bearer. */
    record AuthToken(String secret) implements ModelCredential {
        public AuthToken {
            requireHeaderValue(secret);
        }

        @Override
        public String toString() {
            return "AuthToken[…]";
        }
    }

    String BETA = "anthropic-beta";
    String OAUTH_BETA = "oauth-2025-04-20";
    Pattern VISIBLE = Pattern.compile("[\\x21-\\x7E]{1,8192}");

    private static void requireHeaderValue(String secret) {
        if (!VISIBLE.matcher(secret).matches()) {
            throw new IllegalArgumentException(
                    "a credential for the model is made of visible ASCII characters without"
                            + " spaces; the one given is not");
        }
    }

    /** Expects headers without the keys that the sandbox sent. */
    default Headers applyTo(Headers headers) {
        return switch (this) {
            case ApiKey(var secret) -> headers.with("x-api-key", secret);
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
