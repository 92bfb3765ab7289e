package dev.ash.server.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jdbi.v3.core.statement.StatementBuilder;
import org.jdbi.v3.core.statement.StatementBuilderFactory;

/** The {@link StatementCache} of each open connection. */
final class StatementCaches implements StatementBuilderFactory {
    private final Map<Connection, StatementCache> caches = new ConcurrentHashMap<>();

    @Override
    public StatementBuilder createStatementBuilder(Connection connection) {
        var known = caches.get(connection);
        if (known != null) {
            return known;
        }
        caches.keySet().removeIf(StatementCaches::isClosed);
        return caches.computeIfAbsent(connection, _ -> new StatementCache());
    }

    private static boolean isClosed(Connection connection) {
        try {
            return connection.isClosed();
        } catch (SQLException e) {
            return true;
        }
    }
}
