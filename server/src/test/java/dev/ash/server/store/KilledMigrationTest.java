package dev.ash.server.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A process killed within a migration leaves the database in the state before that migration. */
class KilledMigrationTest {
    private static final int KILLED = 137;

    @TempDir Path directory;

    /** Opens the database {@code args[0]}, and halts before the statement {@code args[1]}. */
    static final class Child {
        public static void main(String[] args) {
            Database.open(
                            Path.of(args[0]),
                            ConnectionInterceptor.before(
                                    (_, argument) -> {
                                        if (argument instanceof String sql
                                                && sql.contains(args[1])) {
                                            Runtime.getRuntime().halt(KILLED);
                                        }
                                    }))
                    .close();
        }

        private Child() {}
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "CREATE TABLE idempotency_keys", // the last of the first migration
                "CREATE TABLE approvals" // the middle of the second
            })
    void completesKilledMigrationAtNextStart(String statement) throws Exception {
        var file = directory.resolve("ash.db");
        assertThat(openAndHaltAt(file, statement)).isEqualTo(KILLED);
        assertThat(columns(file, "turns")).as("no partial migration").doesNotContain("query");

        try (var database = Database.open(file)) {
            var rules =
                    database.writer()
                            .<Integer>write(
                                    transaction ->
                                            transaction
                                                    .handle()
                                                    .execute(
                                                            "INSERT INTO approval_rules (session_id,"
                                                                    + " tool, created_at) VALUES ('s',"
                                                                    + " 't', 0)"));
            assertThat(rules).isEqualTo(1);
        }
        assertThat(columns(file, "turns")).contains("query", "place");
        assertThat(columns(file, "approvals")).contains("told_at");
    }

    private int openAndHaltAt(Path file, String statement) throws Exception {
        var output = directory.resolve("child.log");
        var child =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "--enable-native-access=ALL-UNNAMED",
                                "-cp",
                                System.getProperty("java.class.path"),
                                Child.class.getName(),
                                file.toString(),
                                statement)
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile())
                        .start();
        try {
            assertThat(child.waitFor(60, TimeUnit.SECONDS)).as(Files.readString(output)).isTrue();
            return child.exitValue();
        } finally {
            child.destroyForcibly();
        }
    }

    private static List<String> columns(Path file, String table) throws Exception {
        var names = new ArrayList<String>();
        try (var connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                var rows =
                        connection
                                .createStatement()
                                .executeQuery(
                                        "SELECT name FROM pragma_table_info('" + table + "')")) {
            while (rows.next()) {
                names.add(rows.getString(1));
            }
        }
        return names;
    }
}
