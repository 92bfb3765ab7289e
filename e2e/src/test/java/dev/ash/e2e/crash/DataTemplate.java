package dev.ash.e2e.crash;

import dev.ash.e2e.AshServer;
import dev.ash.e2e.StartupData;
import dev.ash.e2e.TestDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.flywaydb.core.Flyway;

/**
 * Creates data directories from a template that a server has initialized, so that runs need not
 * migrate a database, or with the schema of the first version of Ash.
 */
final class DataTemplate {
    private static final class Once {
        private static final Path DATA = make();
    }

    private static Path make() {
        var directory = TestDirectory.create();
        Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(directory::close));
        var server = AshServer.start(Map.of(), directory);
        server.stop();
        server.api().close();
        return directory.data();
    }

    static TestDirectory copy() {
        var copy = TestDirectory.create();
        StartupData.copy(Once.DATA, copy.data());
        return copy;
    }

    /** Returns a copy with a database of the first version of Ash. */
    static TestDirectory copyOfFirstVersion() throws IOException {
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
        ServerDatabase.write(
                database,
                "INSERT INTO turns VALUES ('turn-of-v1', 'session-of-v1', 'client', 'done', 1, 2)",
                "INSERT INTO events VALUES ('session-of-v1', 1, 'turn-of-v1', 'done', X'7B7D', 2,"
                        + " NULL, NULL, NULL, NULL)");
    }

    private DataTemplate() {}
}
