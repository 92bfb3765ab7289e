package dev.ash.sandbox;

import java.security.SecureRandom;
import java.util.HexFormat;

/** Makes the nonce of a launch, which its bridge sends back to show that it is the one. */
public final class LaunchIds {
    private static final SecureRandom RANDOM = new SecureRandom();

    public static String random() {
        var bytes = new byte[16];
        RANDOM.nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    private LaunchIds() {}
}
