package dev.ash.e2e.crash;

import static org.awaitility.Awaitility.await;

import dev.ash.e2e.AshServer;
import dev.ash.e2e.TestFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.flywaydb.core.Flyway;

/**
 * A data directory that a server has used once: the runs copy it, so that none of them has to
 * migrate a database or to record the bridge's class data again.
 */
record Template(TestFolder folder) implements AutoCloseable {
    private static final List<String> FLAGS =
            List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xlog:disable");

    static Template make() {
        var folder = TestFolder.create();
        var recording = new ArrayList<>(FLAGS);
        recording.add("-XX:ArchiveClassesAtExit=" + classes(folder));
        var server = AshServer.start(Map.of(), folder, recording);
        try {
            await().atMost(Duration.ofMinutes(3)).until(() -> recorded(folder));
        } finally {
            server.stop();
            server.api().close();
        }
        return new Template(folder);
    }

    private static Path classes(TestFolder folder) {
        return folder.path().resolve("server.jsa");
    }

    /** For servers that start in half of the time. */
    List<String> flags() {
        var flags = new ArrayList<>(FLAGS);
        flags.add("-XX:SharedArchiveFile=" + classes(folder));
        return flags;
    }

    private static boolean recorded(TestFolder folder) throws IOException {
        try (var files = Files.walk(folder.data().resolve("runtime"))) {
            return files.anyMatch(
                    file ->
                            file.endsWith("bridge.aot")
                                    && !file.getParent().getFileName().toString().startsWith("."));
        }
    }

    /** The copy shares the programs, which nobody changes, and nothing else. */
    TestFolder copy() throws IOException, InterruptedException {
        var copy = TestFolder.create();
        var from = folder.data();
        var script =
                "mkdir -p %2$s && cd %1$s && for e in *; do case $e in runtime) cp -al $e %2$s/;;"
                        + " *) cp -a $e %2$s/;; esac; done && chmod --reference=%1$s %2$s";
        var process =
                new ProcessBuilder("sh", "-c", script.formatted(from, copy.data()))
                        .inheritIO()
                        .start();
        if (process.waitFor() != 0) {
            throw new IOException("the template was not copied");
        }
        return copy;
    }

    /** With the database as the first version of Ash left it. */
    TestFolder copyOfFirstVersion() throws IOException, InterruptedException {
        var copy = copy();
        for (var name : List.of("ash.db", "ash.db-wal", "ash.db-shm", "initial-api-key")) {
            Files.deleteIfExists(copy.data().resolve(name));
        }
        var database = copy.data().resolve("ash.db");
        migrateToFirst(database);
        return copy;
    }

    private static void migrateToFirst(Path database) {
        Flyway.configure()
                .dataSource("jdbc:sqlite:" + database, null, null)
                .locations("classpath:dev/ash/server/store/migration")
                .placeholders(Map.of("bytes", "BLOB"))
                .table("schema_history")
                .target("1")
                .load()
                .migrate();
        Ledger.write(
                database,
                "INSERT INTO turns VALUES ('turn-of-v1', 'session-of-v1', 'client', 'done', 1, 2)",
                "INSERT INTO events VALUES ('session-of-v1', 1, 'turn-of-v1', 'done', X'7B7D', 2,"
                        + " NULL, NULL, NULL, NULL)");
    }

    @Override
    public void close() {
        folder.close();
    }
}
