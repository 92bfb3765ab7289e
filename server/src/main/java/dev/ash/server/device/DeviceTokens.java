package dev.ash.server.device;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;

/** Generates device tokens of 256 random bits and hashes them; only the hashes are stored. */
final class DeviceTokens {
    private static final String PREFIX = "ash_dev_";
    private static final int BYTES = 32;

    private final SecureRandom random;

    DeviceTokens(SecureRandom random) {
        this.random = random;
    }

    String generate() {
        var bytes = new byte[BYTES];
        random.nextBytes(bytes);
        return PREFIX + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    static boolean isToken(String credential) {
        return credential.startsWith(PREFIX);
    }

    static byte[] hash(String token) {
        try {
            return MessageDigest.getInstance("SHA-256")
                    .digest(token.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
