package dev.ash.server;

import java.util.Objects;

/** The version of this build, from the manifest of its jar. */
final class Version {
    static String current() {
        var version = ServerMain.class.getPackage().getImplementationVersion();
        return Objects.requireNonNullElse(version, "dev");
    }

    private Version() {}
}
