package dev.ash.server.gateway;

import java.util.regex.Pattern;

/** Which versions of the app speak what this gateway speaks: all before the second. */
final class ClientVersion {
    private static final Pattern FORM =
            Pattern.compile("(\\d{1,6})\\.\\d{1,9}(\\.\\d{1,9})?([-+].*)?");
    private static final int FIRST_UNKNOWN = 2;

    static boolean isCompatible(String version) {
        var found = FORM.matcher(version);
        return found.matches() && Integer.parseInt(found.group(1)) < FIRST_UNKNOWN;
    }

    private ClientVersion() {}
}
