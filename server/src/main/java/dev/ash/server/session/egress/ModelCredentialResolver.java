package dev.ash.server.session.egress;

import dev.ash.protocol.TenantId;
import dev.ash.server.credential.CredentialType;
import dev.ash.server.credential.Credentials;
import dev.ash.server.egress.model.ModelAccess;
import dev.ash.server.egress.model.ModelApi;
import dev.ash.server.egress.model.ModelCredential;
import java.net.URI;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Resolves the credential for a session's model calls: the stored one that the session names, or
 * the server's own.
 */
public final class ModelCredentialResolver {
    private static final String OAUTH_PREFIX = "sk-ant-oat";

    private final Map<ModelApi, URI> baseUrls;
    private final Map<ModelApi, ModelCredential> serverCredentials = new EnumMap<>(ModelApi.class);
    private final Credentials stored;

    public ModelCredentialResolver(Map<String, String> environment, Credentials stored) {
        this.baseUrls =
                Map.of(
                        ModelApi.ANTHROPIC,
                        url(environment, ModelApi.ANTHROPIC, "https://api.anthropic.com"),
                        ModelApi.OPENAI,
                        url(environment, ModelApi.OPENAI, "https://api.openai.com/v1"));
        this.stored = stored;
        serverCredentials(environment)
                .ifPresent(credential -> serverCredentials.put(ModelApi.ANTHROPIC, credential));
        variable(environment, ModelApi.OPENAI.keyVariable())
                .ifPresent(
                        key ->
                                serverCredentials.put(
                                        ModelApi.OPENAI, new ModelCredential.AuthToken(key)));
        serverCredentials.forEach(this::access); // rejects an invalid URL at startup
    }

    private static URI url(Map<String, String> environment, ModelApi api, String defaultUrl) {
        return URI.create(variable(environment, api.urlVariable()).orElse(defaultUrl));
    }

    private ModelAccess access(ModelApi api, ModelCredential credential) {
        return new ModelAccess(Objects.requireNonNull(baseUrls.get(api)), credential);
    }

    private static Optional<ModelCredential> serverCredentials(Map<String, String> environment) {
        return variable(environment, "ANTHROPIC_API_KEY")
                .<ModelCredential>map(ModelCredentialResolver::toCredential)
                .or(
                        () ->
                                variable(environment, "ANTHROPIC_AUTH_TOKEN")
                                        .map(ModelCredential.AuthToken::new))
                .or(
                        () ->
                                variable(environment, "CLAUDE_CODE_OAUTH_TOKEN")
                                        .map(ModelCredential.OAuthToken::new));
    }

    private static Optional<String> variable(Map<String, String> environment, String name) {
        return Optional.ofNullable(environment.get(name))
                .map(String::strip)
                .filter(value -> !value.isEmpty());
    }

    private static ModelCredential toCredential(String key) {
        return key.startsWith(OAUTH_PREFIX)
                ? new ModelCredential.OAuthToken(key)
                : new ModelCredential.ApiKey(key);
    }

    /** Throws if the credential does not exist or is for another provider. */
    void requireUsable(TenantId tenant, @Nullable String credentialId, ModelApi api) {
        if (credentialId != null) {
            var type =
                    switch (api) {
                        case ANTHROPIC -> CredentialType.ANTHROPIC;
                        case OPENAI -> CredentialType.OPENAI;
                    };
            stored.use(tenant, credentialId, type);
        }
    }

    /** Resolves the credential anew for each call; empty while there is none. */
    Supplier<Optional<ModelAccess>> resolver(
            TenantId tenant, @Nullable String credentialId, ModelApi api) {
        return () -> resolve(tenant, credentialId, api);
    }

    private Optional<ModelAccess> resolve(
            TenantId tenant, @Nullable String credentialId, ModelApi api) {
        var credential =
                credentialId == null
                        ? Optional.ofNullable(serverCredentials.get(api))
                        : stored.secret(tenant, credentialId).map(key -> toCredential(key, api));
        return credential.map(present -> access(api, present));
    }

    private static ModelCredential toCredential(String key, ModelApi api) {
        return switch (api) {
            case ANTHROPIC -> toCredential(key);
            case OPENAI -> new ModelCredential.AuthToken(key);
        };
    }
}
