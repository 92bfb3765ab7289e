package dev.ash.server.egress;

import dev.ash.protocol.SandboxId;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The keys that sandboxes hold instead of the real one. Each is worth something on the socket of
 * its own sandbox only; they are derived, so they outlive the server and are stored nowhere.
 */
public final class Placeholders {
    public static final String PREFIX = "sk-ash-";

    private final SecretKeySpec key;

    public Placeholders(byte[] key) {
        this.key = new SecretKeySpec(key, "HmacSHA256");
    }

    public String of(SandboxId sandbox) {
        try {
            var mac = Mac.getInstance("HmacSHA256");
            mac.init(key);
            var code = mac.doFinal(("egress:" + sandbox).getBytes(StandardCharsets.UTF_8));
            return PREFIX + Base64.getUrlEncoder().withoutPadding().encodeToString(code);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    static boolean same(String given, String placeholder) {
        return MessageDigest.isEqual(
                given.getBytes(StandardCharsets.UTF_8),
                placeholder.getBytes(StandardCharsets.UTF_8));
    }
}
