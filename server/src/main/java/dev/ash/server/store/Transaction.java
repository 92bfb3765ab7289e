package dev.ash.server.store;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * The transaction of a unit of work. Features pass it to their stores; only stores execute
 * statements in it.
 */
public final class Transaction {
    private final Handle handle;
    private final Map<String, PreparedStatement> prepared = new HashMap<>();

    private Transaction(Handle handle) {
        this.handle = handle;
    }

    /**
     * Opens a connection that is reused for successive transactions. They use plain JDBC because
     * JDBI re-enables auto-commit between two transactions, and SQLite's driver then commits the
     * open transaction, even after a failed rollback.
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

    /** Closes the connection and discards uncommitted changes. */
    void close() throws SQLException {
        handle.getConnection().close();
    }

    public Handle handle() {
        return handle;
    }

    /**
     * Returns a statement that is prepared once per connection, for the few that run thousands of
     * times a second. The caller must set every parameter and must not close it.
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
