package dev.ash.server.session.egress;

import dev.ash.protocol.TenantId;
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

    private final Map<ModelApi, URI> baseUrls = new EnumMap<>(ModelApi.class);
    private final Map<ModelApi, ModelCredential> serverCredentials = new EnumMap<>(ModelApi.class);
    private final Credentials stored;

    public ModelCredentialResolver(Map<String, String> environment, Credentials stored) {
        this.stored = stored;
        for (var api : ModelApi.values()) {
            var url = variable(environment, api.provider().urlVariable());
            baseUrls.put(api, URI.create(url.orElse(api.defaultUrl())));
            serverCredential(environment, api)
                    .ifPresent(credential -> serverCredentials.put(api, credential));
        }
        serverCredentials.forEach(this::access); // rejects an invalid URL at startup
    }

    private ModelAccess access(ModelApi api, ModelCredential credential) {
        return new ModelAccess(Objects.requireNonNull(baseUrls.get(api)), credential);
    }

    /** Uses the first variable of the provider that is set. */
    private static Optional<ModelCredential> serverCredential(
            Map<String, String> environment, ModelApi api) {
        return api.provider().credentialVariables().stream()
                .flatMap(
                        name ->
                                variable(environment, name).stream()
                                        .map(value -> toCredential(name, value, api)))
                .findFirst();
    }

    private static ModelCredential toCredential(String variable, String value, ModelApi api) {
        return switch (variable) {
            case "ANTHROPIC_AUTH_TOKEN" -> new ModelCredential.AuthToken(value);
            case "CLAUDE_CODE_OAUTH_TOKEN" -> new ModelCredential.OAuthToken(value);
            default -> toCredential(value, api);
        };
    }

    private static Optional<String> variable(Map<String, String> environment, String name) {
        return Optional.ofNullable(environment.get(name))
                .map(String::strip)
                .filter(value -> !value.isEmpty());
    }

    /** Throws if the credential does not exist or is for another provider. */
    void requireUsable(TenantId tenant, @Nullable String credentialId, ModelApi api) {
        if (credentialId != null) {
            stored.use(tenant, credentialId, api.provider());
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
            case ANTHROPIC ->
                    key.startsWith(OAUTH_PREFIX)
                            ? new ModelCredential.OAuthToken(key)
                            : new ModelCredential.ApiKey(key);
            case OPENAI -> new ModelCredential.AuthToken(key);
            case GOOGLE -> new ModelCredential.GoogleKey(key);
        };
    }
}
