package dev.ash.sdk;

import dev.ash.protocol.rest.CredentialApi;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The calls below {@code /api/credentials}. A key that was stored cannot be read back; a session
 * names it by its id.
 */
public final class CredentialsClient {
    private record Nothing() {}

    private final Calls calls;

    CredentialsClient(Calls calls) {
        this.calls = calls;
    }

    /** {@code type} is {@code anthropic} or {@code openai}. */
    public CredentialApi.Credential create(String type, String key, @Nullable String label) {
        var request = new CredentialApi.CreateCredential(type, key, label);
        return calls.post(credentials(), request, CredentialApi.CredentialResponse.class)
                .credential();
    }

    public List<CredentialApi.Credential> list() {
        return calls.get(credentials(), CredentialApi.Credentials.class).credentials();
    }

    public void delete(String id) {
        calls.delete(credentials().segment(id), Nothing.class);
    }

    private static Target credentials() {
        return Target.of("/api/credentials");
    }
}
