package dev.ash.server.credential;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.engine.ModelProvider;
import dev.ash.protocol.rest.CredentialApi;
import dev.ash.server.store.Database;
import dev.ash.server.store.Sealer;
import dev.ash.server.store.Storage;
import dev.ash.server.store.Timestamps;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Manages the keys of model providers that tenants have stored. Keys are never returned; a session
 * refers to one, and the server uses it for the session's calls, outside its sandbox.
 */
public final class Credentials {
    // Only characters that are valid in a header value: prevents header injection.
    private static final Pattern KEY = Pattern.compile("[\\x21-\\x7e]{1,4096}");
    private static final int MAX_LABEL = 255;

    private final CredentialStore store;
    private final Clock clock;

    public Credentials(Storage storage) {
        this(storage.database(), storage.sealer(), storage.clock());
    }

    public Credentials(Database database, Sealer sealer, Clock clock) {
        this.store = new CredentialStore(database, sealer);
        this.clock = clock;
    }

    CredentialApi.Credential create(TenantId tenant, CredentialApi.CreateCredential request) {
        var type = provider(request.type());
        if (!KEY.matcher(request.key()).matches()) {
            throw ApiException.invalid(
                    "key", "must be 1 to 4,096 printable ASCII characters without spaces");
        }
        var row =
                new CredentialStore.Row(
                        UUID.randomUUID().toString(),
                        type,
                        label(request.label(), type),
                        clock.millis(),
                        null);
        store.insert(tenant, row, request.key());
        return toApi(row);
    }

    private static ModelProvider provider(String type) {
        return ModelProvider.find(type)
                .orElseThrow(
                        () ->
                                ApiException.invalid(
                                        "type", "must be " + ModelProvider.choices("or")));
    }

    private static String label(@Nullable String label, ModelProvider type) {
        if (label == null || label.isBlank()) {
            return type.wire();
        }
        if (label.length() > MAX_LABEL) {
            throw ApiException.invalid("label", "must have at most 255 characters");
        }
        return label;
    }

    List<CredentialApi.Credential> list(TenantId tenant) {
        return store.list(tenant).stream().map(Credentials::toApi).toList();
    }

    void delete(TenantId tenant, String id) {
        if (!store.delete(tenant, id)) {
            throw notFound();
        }
    }

    /** Records the use by a session; rejects credentials of another provider. */
    public void use(TenantId tenant, String id, ModelProvider required) {
        var found = store.secret(tenant, id).orElseThrow(Credentials::notFound);
        if (found.type() != required) {
            throw ApiException.invalid(
                    "credentialId",
                    "is a key of %s, but the session needs one of %s"
                            .formatted(found.type().wire(), required.wire()));
        }
        store.storeLastUse(tenant, id, clock.millis());
    }

    /** Returns the key for a model call. */
    public Optional<String> secret(TenantId tenant, String id) {
        return store.secret(tenant, id).map(CredentialStore.Secret::value);
    }

    private static ApiException notFound() {
        return new ApiException(ErrorCode.CREDENTIAL_NOT_FOUND, "Credential not found");
    }

    private static CredentialApi.Credential toApi(CredentialStore.Row row) {
        var used = row.lastUsedAt();
        return new CredentialApi.Credential(
                row.id(),
                row.type().wire(),
                row.label(),
                true,
                Timestamps.iso(row.createdAt()),
                used == null ? null : Timestamps.iso(used));
    }
}
