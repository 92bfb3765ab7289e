package dev.ash.server.gateway;

import java.util.regex.Pattern;

/** Checks the version of the device's app: all versions before 2.0 are compatible. */
final class ClientVersion {
    private static final Pattern FORMAT =
            Pattern.compile("(\\d{1,6})\\.\\d{1,9}(\\.\\d{1,9})?([-+].*)?");
    private static final int FIRST_INCOMPATIBLE = 2;

    static boolean isCompatible(String version) {
        var found = FORMAT.matcher(version);
        return found.matches() && Integer.parseInt(found.group(1)) < FIRST_INCOMPATIBLE;
    }

    private ClientVersion() {}
}
