package dev.ash.protocol.rest;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Requests and responses of {@code /api/api-keys} and {@code /api/tenants}. A scope is {@code
 * read}, {@code approve}, {@code run} or {@code admin}; times are ISO 8601 in UTC.
 */
public interface ApiKeyApi {
    /**
     * Creates a key for the caller's tenant.
     *
     * @param scopes the scopes of the key; null for all
     * @param expiresAt when the key expires; null for never
     */
    record CreateKey(
            @Nullable String label,
            @FieldSchema(values = {"read", "approve", "run", "admin"})
                    @Nullable List<String> scopes,
            @Nullable String expiresAt) {}

    /** Creates a key for any tenant. */
    record CreateTenantKey(
            String tenantId,
            @Nullable String label,
            @FieldSchema(values = {"read", "approve", "run", "admin"})
                    @Nullable List<String> scopes,
            @Nullable String expiresAt) {}

    /** A new key; {@code key} is shown only here. */
    record CreatedKey(
            String id,
            String key,
            String tenantId,
            String label,
            String keyPrefix,
            @FieldSchema(values = {"read", "approve", "run", "admin"}) List<String> scopes,
            @Nullable String expiresAt,
            String createdAt) {}

    /**
     * A key that is not revoked.
     *
     * @param id {@code env} for the key from {@code ASH_API_KEY}
     * @param createdAt null for that key
     */
    record Key(
            String id,
            String label,
            String keyPrefix,
            @Nullable String createdAt,
            @FieldSchema(values = {"read", "approve", "run", "admin"}) List<String> scopes,
            @Nullable String expiresAt,
            @Nullable String lastUsedAt) {}

    record Keys(List<Key> keys) {}

    record CreateTenant(String tenantId) {}

    /** {@code apiKeys} counts the keys that are neither revoked nor expired. */
    record Tenant(String id, String createdAt, long apiKeys) {}

    /** A new tenant and its first key, which has all scopes. */
    record TenantResponse(Tenant tenant, CreatedKey apiKey) {}

    record Tenants(List<Tenant> tenants) {}
}
