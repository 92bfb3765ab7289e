package dev.ash.bench;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** Inserts the same rows into an equal table without a server, as the baseline of the machine. */
final class PlainInserts implements AutoCloseable {
    private static final int BATCH = 256;
    private static final int ROW_BYTES = 400;

    private final Connection connection;
    private final PreparedStatement insert;
    private final byte[] data = new byte[ROW_BYTES];
    private long seq;

    private PlainInserts(Connection connection) throws SQLException {
        this.connection = connection;
        this.insert =
                connection.prepareStatement(
                        "INSERT INTO events (session_id, seq, type, data, created_at) VALUES (?, ?,"
                                + " ?, ?, ?)");
    }

    static PlainInserts into(Path file) throws SQLException {
        var connection = DriverManager.getConnection("jdbc:sqlite:" + file);
        try (var statement = connection.createStatement()) {
            statement.execute("PRAGMA journal_mode = WAL");
            statement.execute("PRAGMA synchronous = FULL");
            statement.execute(
                    "CREATE TABLE events (session_id TEXT NOT NULL, seq BIGINT NOT NULL, type TEXT"
                            + " NOT NULL, data BLOB NOT NULL, created_at BIGINT NOT NULL, PRIMARY"
                            + " KEY (session_id, seq))");
        }
        connection.setAutoCommit(false);
        return new PlainInserts(connection);
    }

    double perSecond(int count) throws SQLException {
        long begin = System.nanoTime();
        for (int i = 1; i <= count; i++) {
            insert.setString(1, "5b2a5a2e-7f2c-4f57-9a3c-0f6a3b1c9f10");
            insert.setLong(2, ++seq);
            insert.setString(3, "message");
            insert.setBytes(4, data);
            insert.setLong(5, seq);
            insert.executeUpdate();
            if (i % BATCH == 0 || i == count) {
                connection.commit();
            }
        }
        return count * 1e9 / (System.nanoTime() - begin);
    }

    /** Returns the duration of the insert and commit of one row. */
    double commitMillis() throws SQLException {
        return 1000.0 / perSecond(1);
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
