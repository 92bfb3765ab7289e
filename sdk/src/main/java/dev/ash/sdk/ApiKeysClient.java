package dev.ash.sdk;

import dev.ash.protocol.rest.ApiKeyApi;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Client for the {@code /api/api-keys} and {@code /api/tenants} endpoints, which require the scope
 * {@code admin}. A key is returned only when it is created. Operations on other tenants require a
 * key of the tenant {@code default}.
 */
public final class ApiKeysClient {
    private record Empty() {}

    private final RestClient rest;

    ApiKeysClient(RestClient rest) {
        this.rest = rest;
    }

    /**
     * Creates a key of the caller's tenant.
     *
     * @param scopes any of {@code read}, {@code approve}, {@code run} and {@code admin}; null for
     *     all
     * @param expiresAt ISO 8601, such as {@code 2031-05-01T12:00:00Z}; null for never
     */
    public ApiKeyApi.CreatedKey create(
            @Nullable String label, @Nullable List<String> scopes, @Nullable String expiresAt) {
        var request = new ApiKeyApi.CreateKey(label, scopes, expiresAt);
        return rest.post(keys(), request, ApiKeyApi.CreatedKey.class);
    }

    /** Creates a key for any tenant, and the tenant if it does not exist. */
    public ApiKeyApi.CreatedKey create(ApiKeyApi.CreateTenantKey request) {
        return rest.post(ApiPath.of("/api/internal/api-keys"), request, ApiKeyApi.CreatedKey.class);
    }

    public List<ApiKeyApi.Key> list() {
        return rest.get(keys(), ApiKeyApi.Keys.class).keys();
    }

    /** Revokes a key. Takes effect within a second and closes the key's open streams. */
    public void revoke(String id) {
        rest.delete(keys().segment(id), Empty.class);
    }

    public List<ApiKeyApi.Tenant> tenants() {
        return rest.get(ApiPath.of("/api/tenants"), ApiKeyApi.Tenants.class).tenants();
    }

    /** Creates a tenant and its first key, which has all scopes. */
    public ApiKeyApi.TenantResponse createTenant(String tenantId) {
        return rest.post(
                ApiPath.of("/api/tenants"),
                new ApiKeyApi.CreateTenant(tenantId),
                ApiKeyApi.TenantResponse.class);
    }

    private static ApiPath keys() {
        return ApiPath.of("/api/api-keys");
    }
}
