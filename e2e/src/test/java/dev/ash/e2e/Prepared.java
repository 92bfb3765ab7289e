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
 * What the first server of a test run leaves for the others: the recorded classes of server and
 * bridge, a database that nobody has used, and a certificate for devices. A server starts in a
 * third of the time with it.
 */
public record Prepared(TestFolder folder) {
    private static final List<String> FLAGS =
            List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xlog:disable");
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private static final class Once {
        private static final Prepared PREPARED = make();
    }

    public static Prepared get() {
        return Once.PREPARED;
    }

    private static Prepared make() {
        var folder = TestFolder.create();
        Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(folder::close));
        var recording = new ArrayList<>(FLAGS);
        recording.add("-XX:AOTCacheOutput=" + classes(folder));
        var environment = Map.of("ASH_GATEWAY", "1", "ASH_GATEWAY_PORT", "0");
        var server = AshServer.startBare(environment, folder, recording);
        try {
            new Store(folder.data()).copyTo(database(folder));
            useOnce(server);
            await().atMost(PATIENCE).until(() -> isRecorded(folder));
        } finally {
            server.stop(PATIENCE); // it records as it ends
            server.api().close();
        }
        return new Prepared(folder);
    }

    /** Classes are recorded when they are used. */
    private static void useOnce(AshServer server) {
        server.deploy("first");
        var session = server.session("first");
        session.ask("demo: run echo hello");
        session.end().expect(200);
        DeviceClient.enter(DeviceClient.pair(server)).close();
    }

    private static Path classes(TestFolder folder) {
        return folder.path().resolve("server.aot");
    }

    private static Path database(TestFolder folder) {
        return folder.data().resolve("unused.db");
    }

    private static boolean isRecorded(TestFolder folder) throws IOException {
        try (var files = Files.walk(folder.data().resolve("runtime"))) {
            return files.anyMatch(
                    file ->
                            file.endsWith("bridge.aot")
                                    && !file.getParent().getFileName().toString().startsWith("."));
        }
    }

    List<String> flags() {
        var flags = new ArrayList<>(FLAGS);
        flags.add("-XX:AOTCache=" + classes(folder));
        return flags;
    }

    /**
     * Gives a data directory that is not there yet the programs, which nobody changes, the database
     * with the key of its API, and the certificate with the key that opens it.
     */
    void into(Path data) {
        if (!Files.exists(data)) {
            run(
                    "mkdir -p %2$s && cd %1$s && cp -al runtime %2$s/"
                            + " && cp -a gateway.p12 sealing-key initial-api-key %2$s/"
                            + " && install -m 600 unused.db %2$s/ash.db && chmod --reference=. %2$s",
                    folder.data(), data);
        }
    }

    /** Makes a data directory like another, of a server that is stopped. */
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
