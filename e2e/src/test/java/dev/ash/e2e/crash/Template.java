package dev.ash.e2e.crash;

import dev.ash.e2e.AshServer;
import dev.ash.e2e.Prepared;
import dev.ash.e2e.TestFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.flywaydb.core.Flyway;

/**
 * Data directories that a server has used once, so that no run has to migrate a database; or that
 * the first version of Ash has used.
 */
final class Template {
    private static final class Once {
        private static final Path DATA = make();
    }

    private static Path make() {
        var folder = TestFolder.create();
        Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(folder::close));
        var server = AshServer.start(Map.of(), folder);
        server.stop();
        server.api().close();
        return folder.data();
    }

    static TestFolder copy() {
        var copy = TestFolder.create();
        Prepared.copy(Once.DATA, copy.data());
        return copy;
    }

    /** With the database as the first version of Ash left it. */
    static TestFolder copyOfFirstVersion() throws IOException {
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

    private Template() {}
}
