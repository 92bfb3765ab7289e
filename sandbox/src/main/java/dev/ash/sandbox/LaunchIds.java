package dev.ash.sandbox;

import java.security.SecureRandom;
import java.util.HexFormat;

/** Generates the nonces of launches; a bridge authenticates itself by sending its nonce back. */
public final class LaunchIds {
    private static final SecureRandom RANDOM = new SecureRandom();

    public static String random() {
        var bytes = new byte[16];
        RANDOM.nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    private LaunchIds() {}
}
