package dev.ash.server.session;

import dev.ash.protocol.TenantId;
import dev.ash.server.credential.CredentialType;
import dev.ash.server.credential.Credentials;
import dev.ash.server.egress.ModelAccess;
import dev.ash.server.egress.ModelCredential;
import java.net.URI;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Which key a session's calls to the model are made with: the stored one that the session names, or
 * the server's own.
 */
public final class ModelAccounts {
    private static final String PUBLIC = "https://api.anthropic.com";
    private static final String OAUTH_PREFIX = "sk-ant-oat";

    private final URI baseUrl;
    private final Optional<ModelCredential> own;
    private final Credentials stored;

    public ModelAccounts(Map<String, String> environment, Credentials stored) {
        this.baseUrl = URI.create(set(environment, "ANTHROPIC_BASE_URL").orElse(PUBLIC));
        this.own = own(environment);
        this.stored = stored;
        own.ifPresent(credential -> new ModelAccess(baseUrl, credential)); // refuses a bad URL now
    }

    private static Optional<ModelCredential> own(Map<String, String> environment) {
        return set(environment, "ANTHROPIC_API_KEY")
                .<ModelCredential>map(ModelAccounts::ofKey)
                .or(
                        () ->
                                set(environment, "ANTHROPIC_AUTH_TOKEN")
                                        .map(ModelCredential.AuthToken::new))
                .or(
                        () ->
                                set(environment, "CLAUDE_CODE_OAUTH_TOKEN")
                                        .map(ModelCredential.OAuthToken::new));
    }

    private static Optional<String> set(Map<String, String> environment, String name) {
        return Optional.ofNullable(environment.get(name))
                .map(String::strip)
                .filter(value -> !value.isEmpty());
    }

    private static ModelCredential ofKey(String key) {
        return key.startsWith(OAUTH_PREFIX)
                ? new ModelCredential.OAuthToken(key)
                : new ModelCredential.ApiKey(key);
    }

    /** Refuses a session whose credential is not there or is for something else. */
    void admit(TenantId tenant, @Nullable String credentialId) {
        if (credentialId != null) {
            stored.use(tenant, credentialId, CredentialType.ANTHROPIC);
        }
    }

    /** What a call is made with now; empty if there is nothing, or no longer. */
    Optional<ModelAccess> of(TenantId tenant, @Nullable String credentialId) {
        var credential =
                credentialId == null
                        ? own
                        : stored.secret(tenant, credentialId).map(ModelAccounts::ofKey);
        return credential.map(present -> new ModelAccess(baseUrl, present));
    }
}
