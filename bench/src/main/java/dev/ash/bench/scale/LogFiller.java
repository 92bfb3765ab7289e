package dev.ash.bench.scale;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;

/** Appends events to the log of a session while its server is not running. */
final class LogFiller implements AutoCloseable {
    private static final int COMMIT_ROWS = 50_000;
    private final Connection connection;

    LogFiller(Path database) throws SQLException {
        connection = DriverManager.getConnection("jdbc:sqlite:" + database);
        try (var statement = connection.createStatement()) {
            statement.execute("PRAGMA busy_timeout = 30000");
            statement.execute("PRAGMA synchronous = OFF");
        }
        connection.setAutoCommit(false);
    }

    /** Continues the numbers of the log until it has this many events. */
    void fill(String session, int events) throws SQLException {
        long seq = last(session, "seq");
        long messageNo = last(session, "message_no");
        long eventNo = last(session, "event_no");
        long bytes = last(session, "log_bytes");
        try (var insert =
                connection.prepareStatement(
                        "INSERT INTO events (session_id, seq, type, data, created_at, message_no,"
                                + " event_no, log_bytes) VALUES (?, ?, 'message', ?, ?, ?, ?, ?)")) {
            while (seq < events) {
                var data = data(++seq);
                bytes += data.length + 200;
                insert.setString(1, session);
                insert.setLong(2, seq);
                insert.setBytes(3, data);
                insert.setLong(4, 1_700_000_000_000L + seq);
                insert.setLong(5, ++messageNo);
                insert.setLong(6, ++eventNo);
                insert.setLong(7, bytes);
                insert.addBatch();
                if (seq % COMMIT_ROWS == 0 || seq == events) {
                    insert.executeBatch();
                    connection.commit();
                }
            }
        }
    }

    private static byte[] data(long seq) {
        return """
        {"type":"assistant","message":{"id":"msg_%022d","type":"message","role":"assistant",\
        "model":"claude-sonnet-4-5","content":[{"type":"text","text":"message"}],\
        "stop_reason":null,"usage":{"input_tokens":10,"output_tokens":25}},\
        "parent_tool_use_id":null,"session_id":"5b2a5a2e-7f2c-4f57-9a3c-0f6a3b1c9f10"}"""
                .formatted(seq)
                .getBytes(UTF_8);
    }

    private long last(String session, String column) throws SQLException {
        try (var query =
                connection.prepareStatement(
                        "SELECT coalesce(max("
                                + column
                                + "), 0) FROM events WHERE session_id = ?")) {
            query.setString(1, session);
            try (var rows = query.executeQuery()) {
                return rows.getLong(1);
            }
        }
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
