package dev.ash.sdk;

import dev.ash.protocol.rest.ApiKeyApi;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The calls below {@code /api/api-keys} and {@code /api/tenants}; they need the scope {@code
 * admin}. A new key is shown once. Those about other tenants need a key of the tenant {@code
 * default}.
 */
public final class ApiKeysClient {
    private record Nothing() {}

    private final Calls calls;

    ApiKeysClient(Calls calls) {
        this.calls = calls;
    }

    /**
     * Creates a key of the caller's tenant.
     *
     * @param scopes any of {@code read}, {@code approve}, {@code run} and {@code admin}; null: all
     * @param expiresAt ISO 8601, such as {@code 2031-05-01T12:00:00Z}; null: never
     */
    public ApiKeyApi.CreatedKey create(
            @Nullable String label, @Nullable List<String> scopes, @Nullable String expiresAt) {
        var request = new ApiKeyApi.CreateKey(label, scopes, expiresAt);
        return calls.post(keys(), request, ApiKeyApi.CreatedKey.class);
    }

    /** Creates a key of any tenant; a tenant that does not exist is created. */
    public ApiKeyApi.CreatedKey create(ApiKeyApi.CreateTenantKey request) {
        return calls.post(Target.of("/api/internal/api-keys"), request, ApiKeyApi.CreatedKey.class);
    }

    public List<ApiKeyApi.Key> list() {
        return calls.get(keys(), ApiKeyApi.Keys.class).keys();
    }

    /** Effective within a second, also for open streams. */
    public void revoke(String id) {
        calls.delete(keys().segment(id), Nothing.class);
    }

    public List<ApiKeyApi.Tenant> tenants() {
        return calls.get(Target.of("/api/tenants"), ApiKeyApi.Tenants.class).tenants();
    }

    /** Creates a tenant and its first key, which has all scopes. */
    public ApiKeyApi.TenantResponse createTenant(String tenantId) {
        return calls.post(
                Target.of("/api/tenants"),
                new ApiKeyApi.CreateTenant(tenantId),
                ApiKeyApi.TenantResponse.class);
    }

    private static Target keys() {
        return Target.of("/api/api-keys");
    }
}
