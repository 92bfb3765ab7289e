package dev.ash.server.store;

import java.sql.SQLException;
import javax.sql.DataSource;

/**
 * The transaction of a unit of work. Features pass it to their stores; only stores execute
 * statements in it.
 */
public final class Transaction {
    private final Handle handle;

    private Transaction(Handle handle) {
        this.handle = handle;
    }

    /**
     * Opens a connection that is reused for successive transactions. Auto-commit stays disabled:
     * when it is enabled, SQLite's driver commits the open transaction, even after a failed
     * rollback.
     */
    static Transaction open(DataSource source) throws SQLException {
        var connection = source.getConnection();
        connection.setAutoCommit(false);
        return new Transaction(new Handle(connection));
    }

    void commit() throws SQLException {
        handle.connection().commit();
    }

    void rollback() throws SQLException {
        handle.connection().rollback();
    }

    /** Closes the connection and discards uncommitted changes. */
    void close() throws SQLException {
        handle.connection().close();
    }

    public Handle handle() {
        return handle;
    }
}
