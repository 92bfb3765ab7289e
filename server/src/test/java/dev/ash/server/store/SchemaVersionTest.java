package dev.ash.server.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@link Database} skips migrations at this schema version, so it must be the latest. */
class SchemaVersionTest {
    @TempDir Path directory;

    @Test
    void schemaVersionIsLatestMigration() {
        try (var database = Database.open(directory.resolve("ash.db"))) {
            var latest =
                    database.read(
                            handle ->
                                    handle.createQuery(
                                                    "SELECT version FROM schema_history ORDER BY"
                                                            + " installed_rank DESC LIMIT 1")
                                            .mapTo(String.class)
                                            .one());
            assertThat(Database.SCHEMA_VERSION).isEqualTo(latest);
        }
    }
}
