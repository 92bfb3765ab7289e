package dev.ash.bench.floor;

import dev.ash.bench.server.BenchServer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Inserts events into a copy of the server's table with all its indexes, and with the same
 * durability, but without a server.
 */
public final class BatchedInserts implements AutoCloseable {
    private static final String SESSION = "5b2a5a2e-7f2c-4f57-9a3c-0f6a3b1c9f10";
    private static final String TURN = "9c3e2d11-64a1-4f0c-8f57-2f6a3b1c9f77";
    private static final String BRIDGE = "6f1d2b3c4d5e6f708192a3b4c5d6e7f8";

    private final Connection connection;
    private final PreparedStatement insert;
    private final byte[] data;
    private long seq;

    private BatchedInserts(Connection connection, byte[] data) throws SQLException {
        this.connection = connection;
        this.data = data;
        this.insert =
                connection.prepareStatement(
                        "INSERT INTO events (session_id, seq, turn_id, type, data, created_at,"
                                + " bridge_id, n, message_no, event_no, log_bytes)"
                                + " VALUES (?, ?, ?, 'message', ?, ?, ?, ?, ?, ?, ?)");
    }

    /** Copies the table of a server and inserts events of this size. */
    public static BatchedInserts like(BenchServer server, int bytes) throws SQLException {
        var definitions = definitions(server.data().resolve("ash.db"));
        var file = server.directory().resolve("floor-" + System.nanoTime() + ".db");
        var connection = DriverManager.getConnection("jdbc:sqlite:" + file);
        try (var statement = connection.createStatement()) {
            statement.execute("PRAGMA journal_mode = WAL");
            statement.execute("PRAGMA synchronous = FULL");
            for (var definition : definitions) {
                statement.execute(definition);
            }
        }
        connection.setAutoCommit(false);
        return new BatchedInserts(connection, new byte[bytes]);
    }

    /**
     * Returns the statements that create the table and its indexes, as the server executed them.
     */
    static List<String> definitions(Path database) throws SQLException {
        var definitions = new ArrayList<String>();
        try (var connection = DriverManager.getConnection("jdbc:sqlite:" + database);
                var statement = connection.createStatement();
                var rows =
                        statement.executeQuery(
                                "SELECT sql FROM sqlite_master WHERE tbl_name = 'events' AND sql IS"
                                        + " NOT NULL ORDER BY type = 'index'")) {
            while (rows.next()) {
                definitions.add(rows.getString(1));
            }
        }
        if (definitions.isEmpty()) {
            throw new SQLException("the server has no table events");
        }
        return definitions;
    }

    /** Inserts groups of these sizes, each with one commit; returns the rows per second. */
    public double perSecond(List<Integer> groups) throws SQLException {
        long begin = System.nanoTime();
        int count = 0;
        for (int size : groups) {
            for (int i = 0; i < size; i++) {
                insertOne();
            }
            connection.commit();
            count += size;
        }
        return count * 1e9 / (System.nanoTime() - begin);
    }

    private void insertOne() throws SQLException {
        seq++;
        insert.setString(1, SESSION);
        insert.setLong(2, seq);
        insert.setString(3, TURN);
        insert.setBytes(4, data);
        insert.setLong(5, System.currentTimeMillis());
        insert.setString(6, BRIDGE);
        insert.setLong(7, seq);
        insert.setLong(8, seq);
        insert.setLong(9, seq);
        insert.setLong(10, seq * data.length);
        insert.executeUpdate();
    }

    /** Returns the milliseconds of the insert and commit of one row: one flush of the disk. */
    public double commitMillis() throws SQLException {
        return 1000.0 / perSecond(List.of(1));
    }

    /** Returns the milliseconds to read a page of the last rows. */
    public double pageMillis(int rows) throws SQLException {
        long begin = System.nanoTime();
        try (var query =
                connection.prepareStatement(
                        "SELECT seq, data FROM events WHERE session_id = ? AND seq > ? ORDER BY seq"
                                + " LIMIT ?")) {
            query.setString(1, SESSION);
            query.setLong(2, seq - rows);
            query.setInt(3, rows);
            int read = 0;
            try (var found = query.executeQuery()) {
                while (found.next()) {
                    read += found.getBytes(2).length;
                }
            }
            if (read == 0) {
                throw new SQLException("the page is empty");
            }
        }
        return (System.nanoTime() - begin) / 1e6;
    }

    /** Returns groups of the same size for this number of rows. */
    public static List<Integer> groups(int rows, int size) {
        return IntStream.iterate(rows, left -> left > 0, left -> left - size)
                .mapToObj(left -> Math.min(left, size))
                .toList();
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
