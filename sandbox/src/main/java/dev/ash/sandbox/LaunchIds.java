package dev.ash.sandbox;

import java.security.SecureRandom;
import java.util.HexFormat;

/** The nonce that a launch is told and its bridge says back, so that nobody can pose as it. */
final class LaunchIds {
    private static final SecureRandom RANDOM = new SecureRandom();

    static String random() {
        var bytes = new byte[16];
        RANDOM.nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    private LaunchIds() {}
}
