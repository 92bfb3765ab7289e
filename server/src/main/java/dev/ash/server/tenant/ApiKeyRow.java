package dev.ash.server.tenant;

import dev.ash.protocol.TenantId;
import dev.ash.protocol.rest.ApiKeyApi;
import dev.ash.server.identity.ApiKeyIdentity;
import dev.ash.server.identity.Scope;
import dev.ash.server.store.Timestamps;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A stored API key that is not revoked, without the key itself. */
record ApiKeyRow(
        String id,
        TenantId tenant,
        String label,
        String prefix,
        long createdAt,
        Set<Scope> scopes,
        @Nullable Long expiresAt,
        @Nullable Long lastUsedAt) {

    ApiKeyIdentity identity() {
        return new ApiKeyIdentity(tenant, id, scopes);
    }

    boolean isExpired(long now) {
        return expiresAt != null && expiresAt <= now;
    }

    ApiKeyApi.Key toApi(@Nullable Long recentUse) {
        return new ApiKeyApi.Key(
                id,
                label,
                prefix,
                Timestamps.iso(createdAt),
                names(scopes),
                iso(expiresAt),
                iso(recentUse == null ? lastUsedAt : recentUse));
    }

    ApiKeyApi.CreatedKey toCreated(String key) {
        return new ApiKeyApi.CreatedKey(
                id,
                key,
                tenant.value(),
                label,
                prefix,
                names(scopes),
                iso(expiresAt),
                Timestamps.iso(createdAt));
    }

    static List<String> names(Set<Scope> scopes) {
        return Stream.of(Scope.values()).filter(scopes::contains).map(Scope::wire).toList();
    }

    static @Nullable String iso(@Nullable Long millis) {
        return millis == null ? null : Timestamps.iso(millis);
    }
}
