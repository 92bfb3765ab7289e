package dev.ash.sdk;

import dev.ash.protocol.rest.SecretApi;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Client for the {@code /api/secrets} endpoints, which require an API key of the tenant {@code
 * default}.
 */
public final class SecretsClient {
    private final RestClient rest;

    SecretsClient(RestClient rest) {
        this.rest = rest;
    }

    /** Lists the ages and states of secrets, without values. */
    public List<SecretApi.Secret> list() {
        return rest.get(secrets(), SecretApi.Secrets.class).secrets();
    }

    /**
     * Replaces these secrets ({@code all} for all). The state {@code rotating} means that the
     * rotation continues in the background.
     */
    public List<SecretApi.Secret> rotate(List<String> names, @Nullable Integer overlapMinutes) {
        var request = new SecretApi.RotateSecrets(names, overlapMinutes);
        return rest.post(secrets().segment("rotate"), request, SecretApi.Secrets.class).secrets();
    }

    /** Revokes previous secrets that are still accepted after a rotation. */
    public List<SecretApi.Secret> revokePrevious() {
        return rest.delete(secrets().segment("previous"), SecretApi.Secrets.class).secrets();
    }

    private static ApiPath secrets() {
        return ApiPath.of("/api/secrets");
    }
}
