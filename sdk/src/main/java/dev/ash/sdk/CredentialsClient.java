package dev.ash.sdk;

import dev.ash.protocol.rest.CredentialApi;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Client for the {@code /api/credentials} endpoints. Stored keys cannot be read; sessions refer to
 * them by id.
 */
public final class CredentialsClient {
    private record Empty() {}

    private final RestClient rest;

    CredentialsClient(RestClient rest) {
        this.rest = rest;
    }

    /** Stores a key; {@code type} is {@code anthropic}, {@code openai} or {@code google}. */
    public CredentialApi.Credential create(String type, String key, @Nullable String label) {
        var request = new CredentialApi.CreateCredential(type, key, label);
        return rest.post(credentials(), request, CredentialApi.CredentialResponse.class)
                .credential();
    }

    public List<CredentialApi.Credential> list() {
        return rest.get(credentials(), CredentialApi.Credentials.class).credentials();
    }

    public void delete(String id) {
        rest.delete(credentials().segment(id), Empty.class);
    }

    private static ApiPath credentials() {
        return ApiPath.of("/api/credentials");
    }
}
