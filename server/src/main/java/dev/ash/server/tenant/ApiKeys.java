package dev.ash.server.tenant;

import dev.ash.protocol.TenantId;
import dev.ash.server.identity.ApiKeyIdentity;
import dev.ash.server.identity.Authenticator;
import dev.ash.server.identity.Identity;
import dev.ash.server.identity.Scope;
import dev.ash.server.store.Database;
import dev.ash.server.store.PrivateFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Turns a presented key into its caller. Keys have 192 random bits, so a plain hash is enough at
 * rest; the key given by {@code ASH_API_KEY} is compared by hash too, in constant time.
 */
public final class ApiKeys implements Authenticator {
    private final ApiKeyStore store;
    private final Optional<byte[]> environmentKeyHash;
    private final Map<String, Identity> known = new ConcurrentHashMap<>();

    private ApiKeys(ApiKeyStore store, Optional<String> environmentKey) {
        this.store = store;
        this.environmentKeyHash = environmentKey.map(ApiKeys::sha256);
    }

    /**
     * Makes the first key of a new data directory and leaves it in {@code initial-api-key}, unless
     * the environment gives one. The file is written before the row: a key that works is never
     * lost.
     */
    public static ApiKeys open(
            Database database,
            Path initialKeyFile,
            Optional<String> environmentKey,
            SecureRandom random,
            Clock clock)
            throws IOException {
        var store = new ApiKeyStore(database);
        if (environmentKey.isEmpty() && store.isEmpty()) {
            if (!Files.exists(initialKeyFile)) {
                var bytes = new byte[24];
                random.nextBytes(bytes);
                var key = "ash_" + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
                PrivateFile.write(initialKeyFile, (key + "\n").getBytes(StandardCharsets.UTF_8));
            }
            var key = Files.readString(initialKeyFile).strip();
            store.insert(
                    UUID.randomUUID().toString(),
                    TenantId.DEFAULT,
                    HexFormat.of().formatHex(sha256(key)),
                    key.substring(0, Math.min(8, key.length())),
                    "initial",
                    clock.millis());
        }
        return new ApiKeys(store, environmentKey);
    }

    @Override
    public Optional<Identity> authenticate(String presented) {
        var hash = sha256(presented);
        if (environmentKeyHash.isPresent()
                && MessageDigest.isEqual(environmentKeyHash.get(), hash)) {
            return Optional.of(new ApiKeyIdentity(TenantId.DEFAULT, "env", Scope.ALL));
        }
        // Every request asks, and keys do not change while a server runs; only known ones are kept,
        // so that guesses cannot fill the memory.
        var name = HexFormat.of().formatHex(hash);
        var remembered = known.get(name);
        if (remembered != null) {
            return Optional.of(remembered);
        }
        var caller =
                store.find(name)
                        .<Identity>map(
                                row -> new ApiKeyIdentity(row.tenant(), row.id(), Scope.ALL));
        caller.ifPresent(found -> known.put(name, found));
        return caller;
    }

    private static byte[] sha256(String key) {
        try {
            return MessageDigest.getInstance("SHA-256")
                    .digest(key.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
