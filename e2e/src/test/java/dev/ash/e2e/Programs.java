package dev.ash.e2e;

import java.nio.file.Path;
import java.util.List;

/** The words that start the programs in {@code dist/}, for tests in other packages. */
public final class Programs {
    /** The bridge, as a server starts it but for the flags of its JVM. */
    public static List<String> bridge() {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                ServerLaunch.jars(dist().resolve("bridge")),
                "dev.ash.bridge.BridgeMain");
    }

    /** The command line. */
    public static List<String> cli() {
        return ServerLaunch.cli();
    }

    /** Flags for the JVM of a server, which let it start quickly. */
    public static List<String> serverFlags() {
        return Prepared.get().flags();
    }

    /** Gives a data directory that does not exist yet what a first start would create. */
    public static void prepare(Path data) {
        Prepared.get().into(data);
    }

    public static Path dist() {
        return ServerLaunch.dist();
    }

    private Programs() {}
}
