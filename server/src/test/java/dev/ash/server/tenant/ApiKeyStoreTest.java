package dev.ash.server.tenant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.TenantId;
import dev.ash.server.identity.Scope;
import dev.ash.server.store.StoreContract;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@StoreContract.Covers({ApiKeyStore.class, TenantStore.class})
class ApiKeyStoreTest extends StoreContract {
    private ApiKeyStore keys;
    private TenantStore tenants;

    @BeforeEach
    void create() {
        keys = new ApiKeyStore(database);
        tenants = new TenantStore(database);
    }

    private static ApiKeyRow key(
            TenantId tenant,
            String id,
            long createdAt,
            Set<Scope> scopes,
            @Nullable Long expiresAt) {
        return new ApiKeyRow(id, tenant, TEXT, "prefix", createdAt, scopes, expiresAt, null);
    }

    private void insert(TenantId tenant, String id, @Nullable Set<Scope> scopes) {
        keys.insert(key(tenant, id, 1, Scope.ALL, null), "hash " + id, scopes);
    }

    @Test
    void readsStoredKeys() {
        assertThat(keys.isEmpty()).isTrue();
        var unlimited = key(TENANT, "1", 1, Scope.ALL, null);
        var limited = key(TENANT, "2", LATE, Set.of(Scope.READ, Scope.RUN), LATE + 1);
        keys.insert(unlimited, "hash 1", null);
        keys.insert(limited, "hash 2", limited.scopes());

        assertThat(keys.isEmpty()).isFalse();
        assertThat(keys.find("hash 1")).contains(unlimited);
        assertThat(keys.find("hash 2")).contains(limited);
        assertThat(keys.find("hash 3")).isEmpty();
        assertThat(keys.list(OTHER_TENANT)).isEmpty();
    }

    @Test
    void listsByCreationTimeThenId() {
        keys.insert(key(TENANT, "c", 1, Scope.ALL, null), "1", null);
        keys.insert(key(TENANT, "b", 2, Scope.ALL, null), "2", null);
        keys.insert(key(TENANT, "a", 2, Scope.ALL, null), "3", null);

        assertThat(keys.list(TENANT)).extracting(ApiKeyRow::id).containsExactly("c", "a", "b");
    }

    @Test
    void findsValidKeys() {
        insert(TENANT, "unlimited", null);
        keys.insert(key(TENANT, "limited", 1, Scope.ALL, 10L), "limited", null);
        insert(TENANT, "revoked", null);
        keys.revoke(TENANT, "revoked", true, 5);
        var all = Set.of("unlimited", "limited", "revoked", "unknown");

        assertThat(keys.valid(all, 9)).containsExactlyInAnyOrder("unlimited", "limited");
        assertThat(keys.valid(all, 10)).containsExactly("unlimited");
    }

    @Test
    void storesTimesOfLastUses() {
        insert(TENANT, "1", null);
        insert(TENANT, "2", null);
        insert(TENANT, "3", null);

        keys.storeLastUses(Map.of("1", LATE, "2", 2L));

        assertThat(keys.list(TENANT))
                .extracting(ApiKeyRow::lastUsedAt)
                .containsExactly(LATE, 2L, null);
    }

    @Test
    void deletesHashOfRevokedKeys() {
        insert(TENANT, "1", null);
        assertThat(keys.revoke(OTHER_TENANT, "1", true, 5)).isFalse();

        assertThat(keys.revoke(TENANT, "1", true, 5)).isTrue();

        assertThat(keys.revoke(TENANT, "1", true, 6)).isFalse();
        assertThat(keys.find("hash 1")).isEmpty();
        assertThat(keys.list(TENANT)).isEmpty();
        assertThat(row("api_keys")).containsEntry("key_hash", "revoked:1").containsEntry("id", "1");
    }

    @Test
    void deletesRevokedKeysAfterRetention() {
        insert(TENANT, "1", null);
        keys.revoke(TENANT, "1", true, 5);
        long month = millis(Duration.ofDays(30));

        keys.insert(key(TENANT, "2", month + 5, Scope.ALL, null), "hash 2", null);
        assertThat(count("api_keys")).isEqualTo(2);
        keys.insert(key(TENANT, "3", month + 6, Scope.ALL, null), "hash 3", null);
        assertThat(count("api_keys")).isEqualTo(2);
        assertThat(keys.list(TENANT)).extracting(ApiKeyRow::id).containsExactly("2", "3");
    }

    @Test
    void doesNotRevokeLastAdminKey() {
        insert(TENANT, "admin", Set.of(Scope.ADMIN));
        insert(TENANT, "reader", Set.of(Scope.READ));
        insert(OTHER_TENANT, "other", null);
        keys.insert(key(TENANT, "expired", 1, Scope.ALL, 2L), "expired", null);

        assertThatThrownBy(() -> keys.revoke(TENANT, "admin", false, 5))
                .isInstanceOfSatisfying(
                        ApiException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.VALIDATION_FAILED));
        insert(TENANT, "second", null);
        assertThat(keys.revoke(TENANT, "admin", false, 5)).isTrue();
    }

    @Test
    void keepsOneAdminKeyOnConcurrentRevocations() {
        for (int i = 0; i < 10; i++) {
            insert(TENANT, "key " + i, null);
        }

        var rejected =
                concurrently(
                        10,
                        i ->
                                () -> {
                                    try {
                                        return !keys.revoke(TENANT, "key " + i, false, 5);
                                    } catch (ApiException e) {
                                        return true;
                                    }
                                });

        assertThat(rejected.stream().filter(one -> one)).hasSize(1);
        assertThat(keys.list(TENANT)).hasSize(1);
    }

    @Test
    void rejectsDuplicateHashWithoutTrace() {
        insert(TENANT, "1", null);

        assertThatThrownBy(
                        () ->
                                keys.insert(
                                        key(OTHER_TENANT, "2", 1, Scope.ALL, null), "hash 1", null))
                .isInstanceOf(ApiException.class);

        assertThat(keys.list(OTHER_TENANT)).isEmpty();
        assertThat(tenants.list(1)).extracting(TenantStore.TenantRow::id).containsExactly(TENANT);
    }

    @Test
    void createsTenantOnce() {
        keys.insertTenant(key(TENANT, "1", 5, Scope.ALL, null), "hash 1");

        assertThatThrownBy(() -> keys.insertTenant(key(TENANT, "2", 6, Scope.ALL, null), "hash 2"))
                .isInstanceOfSatisfying(
                        ApiException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.TENANT_EXISTS));

        assertThat(keys.list(TENANT)).extracting(ApiKeyRow::id).containsExactly("1");
    }

    @Test
    void listsTenantsWithNumberOfValidKeys() {
        tenants.ensure(OTHER_TENANT, 7);
        tenants.ensure(OTHER_TENANT, 8);
        keys.insertTenant(key(TENANT, "1", 5, Scope.ALL, null), "hash 1");
        keys.insert(key(TENANT, "2", 6, Scope.ALL, 10L), "hash 2", null);
        insert(TENANT, "3", null);
        keys.revoke(TENANT, "3", true, 7);

        assertThat(tenants.list(9))
                .containsExactly(
                        new TenantStore.TenantRow(TENANT, 5, 2),
                        new TenantStore.TenantRow(OTHER_TENANT, 7, 0));
        assertThat(tenants.list(10).getFirst().keys()).isEqualTo(1);
    }
}
