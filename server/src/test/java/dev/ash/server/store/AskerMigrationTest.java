package dev.ash.server.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Map;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Migration of approvals of schema version 13, where an id prefix encodes the asker kind. */
class AskerMigrationTest {
    @TempDir Path directory;

    @Test
    void derivesAskerKindOfStoredApprovals() throws SQLException {
        var file = directory.resolve("ash.db");
        migrateTo13(file);
        insert(file, "engine", "0123456789abcdef");
        insert(file, "deferred", "laid-aside:deferred");
        insert(file, "hooks", "hooks:5f0c");
        insert(file, "pair", "pair:sums-1");
        insert(file, "similar", "pairs:1");

        try (var database = Database.open(file)) {
            var kinds =
                    database.read(
                            handle ->
                                    handle.createQuery("SELECT id, asker FROM approvals")
                                            .map(row -> row.getString(1) + ": " + row.getString(2))
                                            .list());
            assertThat(kinds)
                    .containsExactlyInAnyOrder(
                            "engine: engine",
                            "deferred: engine",
                            "hooks: hooks",
                            "pair: pair",
                            "similar: engine");
        }
    }

    private static void migrateTo13(Path file) {
        Flyway.configure()
                .dataSource("jdbc:sqlite:" + file, null, null)
                .locations("classpath:dev/ash/server/store/migration")
                .placeholders(Map.of("bytes", "BLOB"))
                .table("schema_history")
                .target("13")
                .load()
                .migrate();
    }

    private static void insert(Path file, String id, String bridge) throws SQLException {
        try (var connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                var insert =
                        connection.prepareStatement(
                                """
                                INSERT INTO approvals
                                  (id, tenant_id, session_id, kind, tool, input, status,
                                   created_at, bridge_id, question, n)
                                VALUES (?, 'default', 's', 'tool', 'Bash', x'7b7d', 'pending',
                                   0, ?, 'q', 1)
                                """)) {
            insert.setString(1, id);
            insert.setString(2, bridge);
            insert.executeUpdate();
        }
    }
}
