package dev.ash.server.store;

import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import org.jdbi.v3.core.statement.DefaultStatementBuilder;
import org.jdbi.v3.core.statement.StatementBuilder;
import org.jdbi.v3.core.statement.StatementContext;

/**
 * Keeps the prepared statements of a connection for their next execution: SQLite compiles a
 * statement in up to 0.1 ms, longer than most of them run. The least recently used ones are closed.
 * Used by one thread at a time, like its connection.
 */
final class StatementCache implements StatementBuilder {
    static final int MAX_IDLE = 64;

    private final StatementBuilder uncached = new DefaultStatementBuilder();
    private final LinkedHashMap<String, PreparedStatement> idle = new LinkedHashMap<>();
    private final IdentityHashMap<Statement, String> used = new IdentityHashMap<>();

    @Override
    public PreparedStatement create(Connection connection, String sql, StatementContext context)
            throws SQLException {
        if (context.isReturningGeneratedKeys() || context.isConcurrentUpdatable()) {
            return uncached.create(connection, sql, context);
        }
        var known = idle.remove(sql);
        var statement = known == null ? uncached.create(connection, sql, context) : known;
        used.put(statement, sql);
        return statement;
    }

    /** Called after the result set was closed, which ends the execution of the statement. */
    @Override
    public void close(Connection connection, String template, Statement statement)
            throws SQLException {
        var sql = used.remove(statement);
        if (sql == null || statement.isClosed()) {
            uncached.close(connection, template, statement);
            return;
        }
        var prepared = (PreparedStatement) statement;
        prepared.clearParameters(); // they can be large
        var same = idle.putLast(sql, prepared); // a second one that ran at the same time
        if (same != null) {
            same.close();
        } else if (idle.size() > MAX_IDLE) {
            idle.pollFirstEntry().getValue().close();
        }
    }

    @Override
    public Statement create(Connection connection, StatementContext context) throws SQLException {
        return uncached.create(connection, context);
    }

    @Override
    public CallableStatement createCall(Connection connection, String sql, StatementContext context)
            throws SQLException {
        return uncached.createCall(connection, sql, context);
    }
}
