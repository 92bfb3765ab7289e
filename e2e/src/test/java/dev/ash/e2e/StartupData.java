package dev.ash.e2e;

import static org.awaitility.Awaitility.await;

import dev.ash.e2e.gateway.DeviceClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Startup data that the first server of a test run creates for the others: class data archives of
 * server and bridge, an unused database, and a certificate for devices. It cuts the startup time of
 * a server to a third.
 */
public record StartupData(TestDirectory directory) {
    /**
     * Servers of tests run for seconds, so they compile little: it takes an eighth of their time.
     */
    private static final List<String> FLAGS =
            List.of(
                    "-XX:+UseSerialGC",
                    "-XX:TieredStopAtLevel=1",
                    "-XX:CompileThresholdScaling=10",
                    "-XX:+UnlockDiagnosticVMOptions",
                    "-XX:-AOTReplayTraining",
                    "-Xlog:disable");

    private static final Duration TIMEOUT = Duration.ofMinutes(3);

    private static final class Holder {
        private static final StartupData INSTANCE = create();
    }

    public static StartupData get() {
        return Holder.INSTANCE;
    }

    private static StartupData create() {
        var directory = TestDirectory.create();
        Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(directory::close));
        var recording = new ArrayList<>(FLAGS);
        recording.add("-XX:AOTCacheOutput=" + classes(directory));
        var environment = Map.of("ASH_GATEWAY", "1", "ASH_GATEWAY_PORT", "0");
        var server = AshServer.startBare(environment, directory, recording);
        try {
            new Store(directory.data()).copyTo(database(directory));
            useOnce(server);
            await().atMost(TIMEOUT).until(() -> isRecorded(directory));
        } finally {
            server.stop(TIMEOUT); // it writes the archive on exit
            server.api().close();
        }
        return new StartupData(directory);
    }

    /** Runs a turn, because only used classes are recorded. */
    private static void useOnce(AshServer server) {
        server.deploy("first");
        var session = server.session("first");
        session.ask("demo: run echo hello");
        session.end().expect(200);
        DeviceClient.enter(DeviceClient.pair(server)).close();
    }

    private static Path classes(TestDirectory directory) {
        return directory.path().resolve("server.aot");
    }

    private static Path database(TestDirectory directory) {
        return directory.data().resolve("unused.db");
    }

    private static boolean isRecorded(TestDirectory directory) throws IOException {
        try (var files = Files.walk(directory.data().resolve("runtime"))) {
            return files.anyMatch(
                    file ->
                            file.endsWith("bridge.aot")
                                    && !file.getParent().getFileName().toString().startsWith("."));
        }
    }

    List<String> flags() {
        var flags = new ArrayList<>(FLAGS);
        flags.add("-XX:AOTCache=" + classes(directory));
        return flags;
    }

    /**
     * Initializes a data directory that does not exist yet with the immutable programs, the
     * database and its API key, and the certificate and its key.
     */
    void copyTo(Path data) {
        if (!Files.exists(data)) {
            run(
                    "mkdir -p %2$s && cd %1$s && cp -al runtime %2$s/"
                            + " && cp -a gateway.p12 sealing-key initial-api-key %2$s/"
                            + " && install -m 600 unused.db %2$s/ash.db && chmod --reference=. %2$s",
                    directory.data(), data);
        }
    }

    /** Copies the data directory of a stopped server. */
    public static void copy(Path from, Path to) {
        run(
                "mkdir -p %2$s && cd %1$s && cp -al runtime %2$s/ && for e in *; do case $e in"
                        + " runtime) ;; *) cp -a $e %2$s/;; esac; done && chmod --reference=. %2$s",
                from, to);
    }

    private static void run(String script, Path from, Path to) {
        try {
            var process =
                    new ProcessBuilder("sh", "-c", script.formatted(from, to)).inheritIO().start();
            if (process.waitFor() != 0) {
                throw new AssertionError(from + " was not copied to " + to);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted", e);
        }
    }
}
