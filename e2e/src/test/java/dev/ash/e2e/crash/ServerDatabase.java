package dev.ash.e2e.crash;

import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.sqlite.SQLiteConfig;

/** Reads a server's database read-only, so that it never recovers what a crash left there. */
record ServerDatabase(Path database) {
    /** Returns the rows of a query with their columns as text. */
    List<List<String>> rows(String query, String... parameters) {
        var config = new SQLiteConfig();
        config.setReadOnly(true);
        config.setBusyTimeout(5_000);
        try (var connection = config.createConnection("jdbc:sqlite:" + database);
                var statement = connection.prepareStatement(query)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setString(i + 1, parameters[i]);
            }
            try (var found = statement.executeQuery()) {
                var rows = new ArrayList<List<String>>();
                while (found.next()) {
                    var row = new ArrayList<String>();
                    for (int i = 1; i <= found.getMetaData().getColumnCount(); i++) {
                        row.add(String.valueOf(found.getString(i)));
                    }
                    rows.add(row);
                }
                return rows;
            }
        } catch (SQLException e) {
            throw new IllegalStateException(query, e);
        }
    }

    private long count(String query, String... parameters) {
        return Long.parseLong(rows(query, parameters).getFirst().getFirst());
    }

    long openTurns() {
        return count("SELECT count(*) FROM turns WHERE status NOT IN ('done', 'error')");
    }

    long openTurns(String session) {
        return count(
                "SELECT count(*) FROM turns WHERE status NOT IN ('done', 'error') AND session_id = ?",
                session);
    }

    boolean isDeferred(String session) {
        return count(
                        "SELECT count(*) FROM turns WHERE status = 'deferred' AND session_id = ?",
                        session)
                > 0;
    }

    boolean isAsleep(String sandbox) {
        return count("SELECT count(*) FROM sandboxes WHERE state <> 'cold' AND id = ?", sandbox)
                == 0;
    }

    static void write(Path database, String... statements) {
        try (var connection = DriverManager.getConnection("jdbc:sqlite:" + database);
                var statement = connection.createStatement()) {
            for (var sql : statements) {
                statement.execute(sql);
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
