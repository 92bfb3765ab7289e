package dev.ash.server.store;

import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Executes statements on one connection, and keeps them prepared. Used by one thread at a time. A
 * parameter is a name after a colon ({@code :id}); a template variable is a name in angle brackets
 * ({@code IN (<ids>)}).
 */
public final class Handle {
    private final Connection connection;
    private final StatementCache statements;

    Handle(Connection connection) {
        this.connection = connection;
        this.statements = new StatementCache(connection);
    }

    public Query createQuery(String sql) {
        return new Query(statements, sql);
    }

    public Update createUpdate(String sql) {
        return new Update(statements, sql);
    }

    /** Executes a statement with parameters {@code ?}, and returns the number of changed rows. */
    public int execute(String sql, @Nullable Object... parameters) {
        try {
            var statement = statements.acquire(sql);
            try {
                for (int i = 0; i < parameters.length; i++) {
                    SqlStatement.set(statement, i + 1, parameters[i]);
                }
                return statement.executeUpdate();
            } finally {
                statements.release(sql, statement);
            }
        } catch (SQLException e) {
            throw new SqlException(sql, e);
        }
    }

    public Connection connection() {
        return connection;
    }
}
