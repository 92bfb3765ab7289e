package dev.ash.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Reads and changes the server's database directly, to compare it with API responses. */
public record Store(Path data) {
    private static final Set<String> STREAMED_TYPES =
            Set.of("message", "error", "done", "approval_required", "approval_resolved");

    /** Row of the log; {@code turn} is empty if the event belongs to no turn. */
    public record Row(long seq, String turn, String type, String data) {}

    /** Returns the complete log of a session. */
    public List<Row> log(String session) {
        var found = new ArrayList<Row>();
        try (var connection = DriverManager.getConnection("jdbc:sqlite:" + file());
                var query =
                        connection.prepareStatement(
                                "SELECT seq, coalesce(turn_id, ''), type, data FROM events WHERE"
                                        + " session_id = ? ORDER BY seq")) {
            query.setString(1, session);
            try (var rows = query.executeQuery()) {
                while (rows.next()) {
                    found.add(
                            new Row(
                                    rows.getLong(1),
                                    rows.getString(2),
                                    rows.getString(3),
                                    new String(rows.getBytes(4), UTF_8)));
                }
            }
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
        return found;
    }

    /** Returns the log as the frames of an event stream. */
    List<Frame> frames(String session) {
        return log(session).stream()
                .filter(row -> STREAMED_TYPES.contains(row.type()))
                .map(row -> new Frame(row.type(), row.data(), row.seq()))
                .toList();
    }

    /** Copies the database consistently, even while a server uses it. */
    void copyTo(Path copy) {
        try (var connection = DriverManager.getConnection("jdbc:sqlite:" + file());
                var statement = connection.prepareStatement("VACUUM INTO ?")) {
            statement.setString(1, copy.toString());
            statement.execute();
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    public long count(String table) {
        try (var connection = DriverManager.getConnection("jdbc:sqlite:" + file());
                var query = connection.prepareStatement("SELECT count(*) FROM " + table);
                var rows = query.executeQuery()) {
            return rows.getLong(1);
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    /** Executes an update, as another process would, even while a server runs. */
    public void update(String statement, String... values) {
        try (var connection = DriverManager.getConnection("jdbc:sqlite:" + file());
                var update = connection.prepareStatement(statement)) {
            for (int i = 0; i < values.length; i++) {
                update.setString(i + 1, values[i]);
            }
            update.executeUpdate();
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    /** Write lock that blocks the server's writes until it is closed. */
    record Lock(Connection connection) implements AutoCloseable {
        long count(String table) throws SQLException {
            try (var query = connection.prepareStatement("SELECT count(*) FROM " + table);
                    var rows = query.executeQuery()) {
                return rows.getLong(1);
            }
        }

        @Override
        public void close() throws SQLException {
            connection.close();
        }
    }

    /** Runs the action, then locks the database as soon as no write is in progress. */
    Lock lock(Runnable action) throws SQLException {
        var connection = DriverManager.getConnection("jdbc:sqlite:" + file());
        try (var statement = connection.createStatement()) {
            statement.execute("PRAGMA busy_timeout = 30000");
            action.run();
            statement.execute("BEGIN IMMEDIATE");
            return new Lock(connection);
        } catch (SQLException | RuntimeException e) {
            connection.close();
            throw e;
        }
    }

    private Path file() {
        return data.resolve("ash.db");
    }
}
