package dev.ash.server.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.LinkedHashMap;

/**
 * Keeps the prepared statements of a connection for their next execution: SQLite compiles a
 * statement in up to 0.1 ms, longer than most of them run. The least recently used ones are closed.
 * Used by one thread at a time, like its connection.
 */
final class StatementCache {
    static final int MAX_IDLE = 64;

    private final Connection connection;
    private final LinkedHashMap<String, PreparedStatement> idle = new LinkedHashMap<>();

    StatementCache(Connection connection) {
        this.connection = connection;
    }

    PreparedStatement acquire(String sql) throws SQLException {
        var known = idle.remove(sql);
        return known == null ? connection.prepareStatement(sql) : known;
    }

    /** Called after the result set was closed, which ends the execution of the statement. */
    void release(String sql, PreparedStatement statement) throws SQLException {
        if (statement.isClosed()) {
            return;
        }
        statement.clearParameters(); // they can be large
        var same = idle.putLast(sql, statement); // a second one that ran at the same time
        if (same != null) {
            same.close();
        } else if (idle.size() > MAX_IDLE) {
            idle.pollFirstEntry().getValue().close();
        }
    }
}
