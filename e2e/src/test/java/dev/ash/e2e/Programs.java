package dev.ash.e2e;

import java.nio.file.Path;
import java.util.List;

/** Command lines of the programs in {@code dist/}, for tests in other packages. */
public final class Programs {
    /** Returns the command line of the bridge as a server starts it, except for its JVM flags. */
    public static List<String> bridge() {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                ServerLaunch.jars(dist().resolve("bridge")),
                "dev.ash.bridge.BridgeMain");
    }

    /** Returns the command line of the CLI. */
    public static List<String> cli() {
        return ServerLaunch.cli();
    }

    /** Returns JVM flags that shorten the startup of a server. */
    public static List<String> serverFlags() {
        return StartupData.get().flags();
    }

    /** Initializes a data directory that does not exist yet, as a first start would. */
    public static void prepare(Path data) {
        StartupData.get().copyTo(data);
    }

    public static Path dist() {
        return ServerLaunch.dist();
    }

    private Programs() {}
}
