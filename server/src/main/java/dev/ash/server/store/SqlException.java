package dev.ash.server.store;

import java.sql.SQLException;

/** Thrown when the database cannot execute a statement. Its message has no parameter values. */
public final class SqlException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public SqlException(String sql, SQLException cause) {
        super(cause.getMessage() + " in: " + sql.strip(), cause);
    }
}
