package dev.ash.e2e.conformance;

import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;

/** Reads {@code ash.db} with plain SQLite. */
record ArchitectureDatabase(Path data) {
    Path file() {
        return data.resolve("ash.db");
    }

    /** Returns the row with this value in this column, as a map from column names to values. */
    Map<String, Object> row(String table, String column, String value) throws SQLException {
        try (var connection = DriverManager.getConnection("jdbc:sqlite:" + file());
                var query =
                        connection.prepareStatement(
                                "SELECT * FROM " + table + " WHERE " + column + " = ?")) {
            query.setString(1, value);
            try (var rows = query.executeQuery()) {
                if (!rows.next()) {
                    throw new AssertionError("no row in " + table + " with " + value);
                }
                var row = new HashMap<String, Object>();
                var names = rows.getMetaData();
                for (int i = 1; i <= names.getColumnCount(); i++) {
                    row.put(names.getColumnName(i), rows.getObject(i));
                }
                return row;
            }
        }
    }

    long count(String table, String column, String value) throws SQLException {
        try (var connection = DriverManager.getConnection("jdbc:sqlite:" + file());
                var query =
                        connection.prepareStatement(
                                "SELECT count(*) FROM " + table + " WHERE " + column + " = ?")) {
            query.setString(1, value);
            try (var rows = query.executeQuery()) {
                return rows.getLong(1);
            }
        }
    }

    String pragma(String name) throws SQLException {
        try (var connection = DriverManager.getConnection("jdbc:sqlite:" + file());
                var query = connection.createStatement();
                var rows = query.executeQuery("PRAGMA " + name)) {
            return rows.getString(1);
        }
    }
}
