package dev.ash.server.store;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * The transaction that a unit of work runs in. Features pass it on to their stores, which alone
 * know what to do with it.
 */
public final class Transaction {
    private final Handle handle;
    private final Map<String, PreparedStatement> prepared = new HashMap<>();

    private Transaction(Handle handle) {
        this.handle = handle;
    }

    /**
     * On a connection of its own, where one transaction follows the other. Plain JDBC begins and
     * ends them: JDBI goes back to committing by itself between two, and SQLite's driver commits
     * what is open when that is asked of it, even after a rollback that failed.
     */
    static Transaction open(Jdbi jdbi) throws SQLException {
        var transaction = new Transaction(jdbi.open());
        transaction.handle.getConnection().setAutoCommit(false);
        return transaction;
    }

    void commit() throws SQLException {
        handle.getConnection().commit();
    }

    void rollback() throws SQLException {
        handle.getConnection().rollback();
    }

    /** Closes the connection; what was not committed is gone with it. */
    void close() throws SQLException {
        handle.getConnection().close();
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
