package dev.ash.sdk;

import dev.ash.protocol.rest.SecretApi;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The calls below {@code /api/secrets}; they need an API key of the tenant {@code default}. */
public final class SecretsClient {
    private final Calls calls;

    SecretsClient(Calls calls) {
        this.calls = calls;
    }

    /** Ages and states, without values. */
    public List<SecretApi.Secret> list() {
        return calls.get(secrets(), SecretApi.Secrets.class).secrets();
    }

    /**
     * Replaces these secrets ({@code all} for all). A state of {@code rotating} in the answer means
     * that the server continues in the background.
     */
    public List<SecretApi.Secret> rotate(List<String> names, @Nullable Integer overlapMinutes) {
        var request = new SecretApi.RotateSecrets(names, overlapMinutes);
        return calls.post(secrets().segment("rotate"), request, SecretApi.Secrets.class).secrets();
    }

    /** Ends the overlap of earlier rotations. */
    public List<SecretApi.Secret> revokePrevious() {
        return calls.delete(secrets().segment("previous"), SecretApi.Secrets.class).secrets();
    }

    private static Target secrets() {
        return Target.of("/api/secrets");
    }
}
