package dev.ash.server.store;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import org.jdbi.v3.core.Handle;

/**
 * The transaction that a unit of work runs in. Features pass it on to their stores, which alone
 * know what to do with it.
 */
public final class Transaction {
    private final Handle handle;
    private final Map<String, PreparedStatement> prepared = new HashMap<>();

    Transaction(Handle handle) {
        this.handle = handle;
    }

    public Handle handle() {
        return handle;
    }

    /**
     * For the few statements that run thousands of times a second: prepared once and kept with the
     * connection, so whoever asks sets every parameter and does not close it.
     */
    public PreparedStatement prepared(String sql) throws SQLException {
        var statement = prepared.get(sql);
        if (statement == null) {
            statement = handle.getConnection().prepareStatement(sql);
            prepared.put(sql, statement);
        }
        return statement;
    }
}
