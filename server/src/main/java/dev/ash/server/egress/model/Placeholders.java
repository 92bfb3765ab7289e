package dev.ash.server.egress.model;

import dev.ash.protocol.SandboxId;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.Supplier;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Creates the placeholders that sandboxes use instead of a real model credential. Each is valid
 * only on the proxy socket of its own sandbox. Placeholders are derived from a server key, so they
 * survive a restart without being stored. After a key rotation, running sandboxes keep their
 * placeholders.
 */
public final class Placeholders {
    public static final String PREFIX = "sk-ash-";

    private final Supplier<List<byte[]>> keys;

    public Placeholders(byte[] key) {
        this(() -> List.of(key));
    }

    /** {@code keys} are the current key, followed by older keys that running sandboxes may use. */
    public Placeholders(Supplier<List<byte[]>> keys) {
        this.keys = keys;
    }

    /** Returns the placeholder for a sandbox that is launched now. */
    public String of(SandboxId sandbox) {
        return of(sandbox, keys.get().getFirst());
    }

    /** Returns a check of the keys that a sandbox presents. It reads the current keys each time. */
    public Predicate<String> acceptedFrom(SandboxId sandbox) {
        return given -> keys.get().stream().anyMatch(key -> isSame(given, of(sandbox, key)));
    }

    private static boolean isSame(String given, String placeholder) {
        return MessageDigest.isEqual(
                given.getBytes(StandardCharsets.UTF_8),
                placeholder.getBytes(StandardCharsets.UTF_8));
    }

    private static String of(SandboxId sandbox, byte[] key) {
        try {
            var mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            var code = mac.doFinal(("egress:" + sandbox).getBytes(StandardCharsets.UTF_8));
            return PREFIX + Base64.getUrlEncoder().withoutPadding().encodeToString(code);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }
}
