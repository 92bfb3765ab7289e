package dev.ash.server.tenant;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.rest.ApiKeyApi;
import dev.ash.server.identity.ApiKeyIdentity;
import dev.ash.server.identity.Identity;
import dev.ash.server.identity.IdentitySource;
import dev.ash.server.identity.OpenCalls;
import dev.ash.server.identity.Scope;
import dev.ash.server.store.Database;
import dev.ash.server.store.Housekeeping.Task;
import dev.ash.server.store.PrivateFile;
import dev.ash.server.store.Storage;
import dev.ash.server.store.Timestamps;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Creates, lists and revokes API keys, and authenticates callers by them. Keys have 192 random
 * bits, so storing a plain hash is sufficient. The key of {@code ASH_API_KEY} is compared by hash
 * too, in constant time; it belongs to the tenant {@code default} and has all scopes.
 */
public final class ApiKeys implements IdentitySource, AutoCloseable {
    static final String ENVIRONMENT = "env";
    private static final System.Logger LOG = System.getLogger("ash.keys");
    private static final int PREFIX = 8;

    private final ApiKeyStore store;
    private final TenantStore tenants;
    private final Optional<byte[]> environmentKeyHash;
    private final String environmentKeyPrefix;
    private final SecureRandom random;
    private final Clock clock;
    private final Cache cache = new Cache(System::nanoTime);
    private final OpenCalls openCalls =
            new OpenCalls(this::valid, "This API key has expired or was revoked");

    /** The last use of each key; stored periodically, not by requests. */
    private final Map<String, Long> lastUses = new ConcurrentHashMap<>();

    private ApiKeys(
            Database database, Optional<String> environmentKey, SecureRandom random, Clock clock) {
        this.store = new ApiKeyStore(database);
        this.tenants = new TenantStore(database);
        this.environmentKeyHash = environmentKey.map(ApiKeys::sha256);
        // Do not reveal half of a short key.
        this.environmentKeyPrefix =
                environmentKey
                        .filter(key -> key.length() >= 2 * PREFIX)
                        .map(ApiKeys::prefix)
                        .orElse("");
        this.random = random;
        this.clock = clock;
    }

    /**
     * Creates the first key of a new data directory and writes it to {@code initial-api-key},
     * unless {@code environmentKey} is present. The file is written before the row, so that a valid
     * key is never lost.
     */
    public static ApiKeys open(Storage storage, Optional<String> environmentKey)
            throws IOException {
        return open(
                storage.database(),
                storage.resolve("initial-api-key"),
                environmentKey,
                storage.random(),
                storage.clock());
    }

    public static ApiKeys open(
            Database database,
            Path initialKeyFile,
            Optional<String> environmentKey,
            SecureRandom random,
            Clock clock)
            throws IOException {
        var keys = new ApiKeys(database, environmentKey, random, clock);
        if (environmentKey.isEmpty() && keys.store.isEmpty()) {
            if (!Files.exists(initialKeyFile)) {
                PrivateFile.write(
                        initialKeyFile, (keys.generate() + "\n").getBytes(StandardCharsets.UTF_8));
            }
            var key = Files.readString(initialKeyFile).strip();
            var row = keys.row(key, TenantId.DEFAULT, "initial", Scope.ALL, null);
            keys.store.insert(row, hex(sha256(key)), null);
        }
        keys.tenants.ensure(TenantId.DEFAULT, clock.millis());
        return keys;
    }

    @Override
    public Optional<Identity> find(String credential) {
        var hash = sha256(credential);
        long now = clock.millis();
        var caller =
                isEnvironmentKey(hash)
                        ? Optional.of(environmentIdentity())
                        : cache.find(hex(hash), store)
                                .filter(key -> !key.isExpired(now))
                                .map(ApiKeyRow::identity);
        caller.ifPresent(found -> lastUses.put(found.id(), now));
        return caller.map(Identity.class::cast);
    }

    private boolean isEnvironmentKey(byte[] hash) {
        return environmentKeyHash.isPresent()
                && MessageDigest.isEqual(environmentKeyHash.get(), hash);
    }

    private static ApiKeyIdentity environmentIdentity() {
        return new ApiKeyIdentity(TenantId.DEFAULT, ENVIRONMENT, Scope.ALL);
    }

    @Override
    public OpenCalls openCalls() {
        return openCalls;
    }

    private Set<String> valid(Set<String> ids) {
        var valid = new HashSet<>(store.valid(ids, clock.millis()));
        valid.add(ENVIRONMENT);
        return valid;
    }

    public List<Task> tasks() {
        return List.of(new Task("Storing of last uses", this::storeLastUses));
    }

    /** Stores the times of last uses, and retains only later ones in memory. */
    public synchronized void storeLastUses() {
        var uses = new HashMap<>(lastUses);
        uses.remove(ENVIRONMENT);
        if (!uses.isEmpty()) {
            store.storeLastUses(uses);
            uses.forEach(lastUses::remove);
        }
    }

    /** Null {@code scopes} means all, null {@code expiresAt} never. */
    ApiKeyApi.CreatedKey create(
            TenantId tenant,
            @Nullable String label,
            @Nullable List<String> scopes,
            @Nullable String expiresAt) {
        var granted = scopes == null ? null : ApiKeyRequests.scopes(scopes);
        var key = generate();
        var row =
                row(
                        key,
                        tenant,
                        ApiKeyRequests.label(label),
                        granted == null ? Scope.ALL : granted,
                        ApiKeyRequests.expiry(expiresAt, clock.millis()));
        store.insert(row, hex(sha256(key)), granted);
        return row.toCreated(key);
    }

    /** Creates a tenant with a key that has all scopes. */
    ApiKeyApi.TenantResponse createTenant(TenantId tenant) {
        var key = generate();
        var row = row(key, tenant, "initial", Scope.ALL, null);
        store.insertTenant(row, hex(sha256(key)));
        var created = row.toCreated(key);
        return new ApiKeyApi.TenantResponse(
                new ApiKeyApi.Tenant(tenant.value(), created.createdAt(), 1), created);
    }

    List<ApiKeyApi.Tenant> tenants() {
        return tenants.list(clock.millis()).stream()
                .map(
                        row ->
                                new ApiKeyApi.Tenant(
                                        row.id().value(),
                                        Timestamps.iso(row.createdAt()),
                                        row.keys()))
                .toList();
    }

    List<ApiKeyApi.Key> list(TenantId tenant) {
        var keys = new ArrayList<ApiKeyApi.Key>();
        if (tenant.equals(TenantId.DEFAULT) && environmentKeyHash.isPresent()) {
            keys.add(environmentKey());
        }
        store.list(tenant).forEach(row -> keys.add(row.toApi(lastUses.get(row.id()))));
        return keys;
    }

    private ApiKeyApi.Key environmentKey() {
        return new ApiKeyApi.Key(
                ENVIRONMENT,
                "ASH_API_KEY",
                environmentKeyPrefix,
                null,
                ApiKeyRow.names(Scope.ALL),
                null,
                ApiKeyRow.iso(lastUses.get(ENVIRONMENT)));
    }

    /** Takes effect immediately, also for open streams. Callers can revoke their own key. */
    void revoke(TenantId tenant, String id) {
        boolean isOperator = tenant.equals(TenantId.DEFAULT);
        if (id.equals(ENVIRONMENT) && isOperator && environmentKeyHash.isPresent()) {
            throw new ApiException(
                    ErrorCode.VALIDATION_FAILED,
                    "The key \"env\" is configured by ASH_API_KEY; change or remove this setting and restart the server");
        }
        boolean hasOther = isOperator && environmentKeyHash.isPresent();
        if (!store.revoke(tenant, id, hasOther, clock.millis())) {
            throw new ApiException(ErrorCode.API_KEY_NOT_FOUND, "API key not found");
        }
        cache.remove(id);
        lastUses.remove(id);
        openCalls.end(id, "This API key was revoked");
    }

    private ApiKeyRow row(
            String key,
            TenantId tenant,
            String label,
            Set<Scope> scopes,
            @Nullable Long expiresAt) {
        return new ApiKeyRow(
                UUID.randomUUID().toString(),
                tenant,
                label,
                prefix(key),
                clock.millis(),
                scopes,
                expiresAt,
                null);
    }

    private String generate() {
        var bytes = new byte[24];
        random.nextBytes(bytes);
        return "ash_" + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    private static String prefix(String key) {
        return key.substring(0, Math.min(PREFIX, key.length()));
    }

    private static String hex(byte[] hash) {
        return HexFormat.of().formatHex(hash);
    }

    private static byte[] sha256(String key) {
        try {
            return MessageDigest.getInstance("SHA-256")
                    .digest(key.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        try {
            storeLastUses();
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, "Cannot store the last uses of API keys", e);
        }
    }

    /**
     * Caches recently used API keys by hash, to avoid a database read per request. Entries are
     * valid for one second, after which changes by other processes take effect. Evicts the least
     * recently used entry. Thread-safe.
     */
    static final class Cache {
        static final int MAX = 1024;
        static final Duration VALID = Duration.ofSeconds(1);

        private final LongSupplier nanoTime;
        private final Map<String, Cached> entries = // guarded by this
                new LinkedHashMap<>(16, 0.75f, true) {
                    private static final long serialVersionUID = 1L;

                    @Override
                    protected boolean removeEldestEntry(Map.Entry<String, Cached> eldest) {
                        return size() > MAX;
                    }
                };

        private record Cached(ApiKeyRow key, long readAt) {}

        Cache(LongSupplier nanoTime) {
            this.nanoTime = nanoTime;
        }

        /** Returns the cached key, or reads it if the entry is missing or too old. */
        Optional<ApiKeyRow> find(String hash, ApiKeyStore store) {
            long now = nanoTime.getAsLong(); // before the read, which can return an older state
            synchronized (this) {
                var entry = entries.get(hash);
                if (entry != null && now - entry.readAt() < VALID.toNanos()) {
                    return Optional.of(entry.key());
                }
            }
            var row = store.find(hash);
            synchronized (this) {
                // Cache only existing keys, so that guesses cannot evict them.
                row.ifPresentOrElse(
                        key -> entries.put(hash, new Cached(key, now)), () -> entries.remove(hash));
            }
            return row;
        }

        synchronized void remove(String id) {
            entries.values().removeIf(entry -> entry.key().id().equals(id));
        }

        synchronized int size() {
            return entries.size();
        }
    }
}
