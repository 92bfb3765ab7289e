package dev.ash.server.tenant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.TenantId;
import dev.ash.server.identity.Authenticator;
import dev.ash.server.identity.Identity;
import dev.ash.server.identity.Scope;
import dev.ash.server.identity.TestIdentities;
import dev.ash.server.store.Database;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ApiKeysTest {
    private static final TenantId MINE = TenantId.DEFAULT;
    private static final TenantId THEIRS = new TenantId("theirs");

    @TempDir static Path migrated;
    @TempDir Path directory;
    private Database database;
    private ApiKeys keys;
    private Authenticator authenticator;
    private final AtomicLong now = new AtomicLong(1_800_000_000_000L);

    /** Migrated once: migrations take longer than all tests together. */
    @BeforeAll
    static void migrate() {
        Database.open(migrated.resolve("ash.db")).close();
    }

    @BeforeEach
    void open() throws IOException {
        Files.copy(migrated.resolve("ash.db"), directory.resolve("ash.db"));
        database = Database.open(directory.resolve("ash.db"));
        keys = open(Optional.empty());
        authenticator = new Authenticator(keys, new TestIdentities(_ -> Optional.empty()));
    }

    private ApiKeys open(Optional<String> environmentKey) throws IOException {
        return ApiKeys.open(
                database,
                directory.resolve("initial-api-key"),
                environmentKey,
                new SecureRandom(),
                new ManualClock());
    }

    @AfterEach
    void close() {
        authenticator.close();
        keys.close();
        database.close();
    }

    private final class ManualClock extends Clock {
        @Override
        public Instant instant() {
            return Instant.ofEpochMilli(now.get());
        }

        @Override
        public ZoneId getZone() {
            return ZoneId.of("UTC");
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }
    }

    private Set<Scope> scopesOf(String key) {
        return keys.find(key).map(Identity::scopes).orElse(Set.of());
    }

    private void sql(String statement) {
        database.writer().write(transaction -> transaction.handle().execute(statement));
    }

    private <T> T one(Class<T> type, String query) {
        return database.read(handle -> handle.createQuery(query).mapTo(type).one());
    }

    @Test
    void grantsAllScopesToEnvironmentKeyAndKeysOfEarlierVersions() throws IOException {
        var initial = Files.readString(directory.resolve("initial-api-key")).strip();
        sql("UPDATE api_keys SET scopes = NULL, expires_at = NULL, last_used_at = NULL");

        assertThat(scopesOf(initial)).isEqualTo(Scope.ALL);
        try (var others = open(Optional.of("from-the-environment"))) {
            assertThat(others.find("from-the-environment"))
                    .map(Identity::scopes)
                    .contains(Scope.ALL);
            assertThat(others.find("from-the-environmen")).isEmpty();
            assertRejected(ErrorCode.TENANT_EXISTS, () -> others.createTenant(MINE));
        }
    }

    @Test
    void includesImpliedScopes() {
        assertThat(scopesOf(created("read"))).containsExactlyInAnyOrder(Scope.READ);
        assertThat(scopesOf(created("approve")))
                .containsExactlyInAnyOrder(Scope.READ, Scope.APPROVE);
        assertThat(scopesOf(created("run"))).containsExactlyInAnyOrder(Scope.READ, Scope.RUN);
        assertThat(scopesOf(created("admin"))).isEqualTo(Scope.ALL);
        assertThat(scopesOf(created("run", "approve")))
                .containsExactlyInAnyOrder(Scope.READ, Scope.RUN, Scope.APPROVE);
    }

    private String created(String... scopes) {
        return keys.create(MINE, null, List.of(scopes), null).key();
    }

    @Test
    void ignoresUnknownScopes() {
        var created = keys.create(MINE, null, List.of("read"), null);
        sql("UPDATE api_keys SET scopes = 'fly' WHERE id = '" + created.id() + "'");

        assertThat(keys.find(created.key())).map(Identity::scopes).contains(Set.of());
    }

    @Test
    void storesOnlyHashAndDeletesItOnRevocation() {
        var created = keys.create(MINE, "x", null, null);
        var stored = one(String.class, "SELECT group_concat(key_hash) FROM api_keys");
        assertThat(stored).doesNotContain(created.key());

        keys.revoke(MINE, created.id());

        // The query of a server of an earlier version.
        assertThat(
                        one(
                                String.class,
                                "SELECT key_hash FROM api_keys WHERE id = '" + created.id() + "'"))
                .isEqualTo("revoked:" + created.id());
        assertThat(keys.find(created.key())).isEmpty();
    }

    @Test
    void rejectsExpiredKeysButListsThem() {
        var end = Instant.ofEpochMilli(now.get()).plusSeconds(60);
        var created = keys.create(MINE, null, null, end.toString());
        assertThat(keys.find(created.key())).isPresent();

        now.set(end.toEpochMilli());

        assertThat(keys.find(created.key())).isEmpty();
        assertThat(keys.list(MINE)).anyMatch(key -> key.id().equals(created.id()));
    }

    @Test
    void endsOpenCallsOfRevokedKeyOnly() throws Exception {
        var created = keys.create(MINE, null, null, null);
        var other = keys.create(MINE, null, null, null);
        var ended = new CompletableFuture<String>();
        var untouched = new CompletableFuture<String>();
        var closed = new CompletableFuture<String>();
        var caller = keys.find(created.key()).orElseThrow();
        authenticator.whileValid(caller, closed::complete).close();
        try (var _ = authenticator.whileValid(caller, ended::complete);
                var _ =
                        authenticator.whileValid(
                                keys.find(other.key()).orElseThrow(), untouched::complete)) {
            keys.revoke(MINE, created.id());

            assertThat(ended).isCompletedWithValue("This API key was revoked");
            assertThat(untouched).isNotDone();
            assertThat(closed).isNotDone();
        }
    }

    @Test
    void endsOpenCallsWhenKeyExpiresOrIsRevokedExternally() throws Exception {
        var end = Instant.ofEpochMilli(now.get()).plusSeconds(60);
        var expiring = keys.create(MINE, null, null, end.toString());
        var deleted = keys.create(MINE, null, null, null);
        var expired = new CompletableFuture<String>();
        var ended = new CompletableFuture<String>();
        try (var _ =
                        authenticator.whileValid(
                                keys.find(expiring.key()).orElseThrow(), expired::complete);
                var _ =
                        authenticator.whileValid(
                                keys.find(deleted.key()).orElseThrow(), ended::complete)) {
            now.set(end.toEpochMilli());
            sql("DELETE FROM api_keys WHERE id = '" + deleted.id() + "'");

            assertThat(expired.get(20, TimeUnit.SECONDS)).contains("expired");
            assertThat(ended.get(20, TimeUnit.SECONDS)).contains("revoked");
        }
    }

    @Test
    void listsLastUseImmediatelyAndStoresItLater() {
        var created = keys.create(MINE, null, null, null);
        keys.find(created.key());

        assertThat(keys.list(MINE))
                .filteredOn(key -> key.id().equals(created.id()))
                .allMatch(key -> key.lastUsedAt() != null);
        assertThat(one(Long.class, "SELECT count(last_used_at) FROM api_keys")).isZero();
        keys.close();
        assertThat(one(Long.class, "SELECT count(last_used_at) FROM api_keys")).isOne();
        assertThat(keys.list(MINE))
                .filteredOn(key -> key.id().equals(created.id()))
                .allMatch(key -> key.lastUsedAt() != null);
    }

    @Test
    void separatesKeysOfTenants() {
        var created = keys.createTenant(THEIRS).apiKey();

        assertThat(keys.list(MINE)).noneMatch(key -> key.id().equals(created.id()));
        assertRejected(ErrorCode.API_KEY_NOT_FOUND, () -> keys.revoke(MINE, created.id()));
        assertRejected(ErrorCode.API_KEY_NOT_FOUND, () -> keys.revoke(THEIRS, "env"));
        assertRejected(ErrorCode.TENANT_EXISTS, () -> keys.createTenant(THEIRS));
        assertThat(keys.find(created.key())).map(Identity::tenant).contains(THEIRS);
    }

    @Test
    void limitsKeysPerTenantAndRemovesOldRevokedKeys() {
        keys.createTenant(THEIRS);
        sql(
                "WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < "
                        + ApiKeyStore.MAX_KEYS
                        + ") INSERT INTO api_keys (id, tenant_id, key_hash, key_prefix, label,"
                        + " created_at) SELECT 'k' || i, 'theirs', 'h' || i, '', '', 0 FROM n");
        assertRejected(ErrorCode.VALIDATION_FAILED, () -> keys.create(THEIRS, null, null, null));

        keys.revoke(THEIRS, "k2");
        keys.create(THEIRS, null, null, null);
        assertRejected(ErrorCode.VALIDATION_FAILED, () -> keys.create(THEIRS, null, null, null));

        keys.revoke(THEIRS, "k3");
        now.addAndGet(Duration.ofDays(31).toMillis());
        keys.create(THEIRS, null, null, null);
        assertThat(one(Long.class, "SELECT count(*) FROM api_keys WHERE id IN ('k2', 'k3')"))
                .isZero();
    }

    @Test
    void handlesConcurrentCreationAndRevocation() throws Exception {
        var tasks = new ArrayList<Callable<Optional<String>>>();
        for (int i = 0; i < 200; i++) {
            boolean isKept = i % 2 == 0;
            tasks.add(
                    () -> {
                        var created = keys.create(MINE, null, null, null);
                        assertThat(keys.find(created.key())).isPresent();
                        if (!isKept) {
                            keys.revoke(MINE, created.id());
                            assertThat(keys.find(created.key())).isEmpty();
                        }
                        return isKept ? Optional.of(created.id()) : Optional.empty();
                    });
        }
        var kept = new ArrayList<String>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (var done : threads.invokeAll(tasks)) {
                done.get().ifPresent(kept::add);
            }
        }

        assertThat(keys.list(MINE))
                .filteredOn(key -> !key.label().equals("initial"))
                .map(key -> key.id())
                .containsExactlyInAnyOrderElementsOf(kept);
    }

    @Test
    void adminKeysCannotRevokeEachOther() throws Exception {
        var first = keys.createTenant(THEIRS).apiKey();
        var second = keys.create(THEIRS, null, List.of("admin"), null);
        keys.create(THEIRS, null, List.of("run", "approve"), null);
        var revoked = new ArrayList<Boolean>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var tasks =
                    List.of(first.id(), second.id()).stream()
                            .map(id -> (Callable<Boolean>) () -> isRevoked(id))
                            .toList();
            for (var done : threads.invokeAll(tasks)) {
                revoked.add(done.get());
            }
        }

        assertThat(revoked).containsExactlyInAnyOrder(true, false);
    }

    private boolean isRevoked(String id) {
        try {
            keys.revoke(THEIRS, id);
            return true;
        } catch (ApiException e) {
            assertThat(e.code()).isEqualTo(ErrorCode.VALIDATION_FAILED);
            return false;
        }
    }

    @Test
    void boundsCacheAndIgnoresUnknownKeys() {
        var nanos = new AtomicLong();
        var store = new ApiKeyStore(database);
        var cache = new ApiKeys.Cache(nanos::get);
        sql(
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < "
                        + 2 * ApiKeys.Cache.MAX
                        + ") INSERT INTO api_keys (id, tenant_id, key_hash, key_prefix, label,"
                        + " created_at) SELECT 'k' || i, 'theirs', 'h' || i, '', '', 0 FROM n");
        for (int i = 1; i <= 2 * ApiKeys.Cache.MAX; i++) {
            assertThat(cache.find("h" + i, store)).isPresent();
            assertThat(cache.find("guess" + i, store)).isEmpty();
        }
        assertThat(cache.size()).isEqualTo(ApiKeys.Cache.MAX);

        sql("DELETE FROM api_keys");
        var last = "h" + 2 * ApiKeys.Cache.MAX;
        nanos.addAndGet(ApiKeys.Cache.VALID.toNanos() - 1);
        assertThat(cache.find(last, store)).as("within one second").isPresent();
        nanos.incrementAndGet();
        assertThat(cache.find(last, store)).as("after one second").isEmpty();
    }

    private static void assertRejected(ErrorCode code, Runnable action) {
        assertThatThrownBy(action::run)
                .isInstanceOfSatisfying(
                        ApiException.class, e -> assertThat(e.code()).isEqualTo(code));
    }
}
