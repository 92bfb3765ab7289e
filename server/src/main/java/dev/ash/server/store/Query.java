package dev.ash.server.store;

import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** A statement that returns rows. */
public final class Query extends SqlStatement<Query> {
    Query(StatementCache statements, String sql) {
        super(statements, sql);
    }

    /** Creates a value from the current row. */
    public interface RowMapper<T> {
        T map(ResultSet row) throws SQLException;
    }

    /** Reads a result, which is closed afterwards. */
    public interface RowsReader<T> {
        T read(ResultSet rows) throws SQLException;
    }

    public <T> T read(RowsReader<T> reader) {
        return execute(
                statement -> {
                    try (var rows = statement.executeQuery()) {
                        return reader.read(rows);
                    }
                });
    }

    public <T> Rows<T> map(RowMapper<T> mapper) {
        return new Rows<>(this, mapper);
    }

    /** Reads the first column: a text, a number or a boolean; null for an SQL null. */
    @SuppressWarnings("NullAway") // Rows.findOne maps a null to an empty result
    public <T> Rows<T> mapTo(Class<T> type) {
        return map(row -> type.cast(read(row, type)));
    }

    private static @Nullable Object read(ResultSet row, Class<?> type) throws SQLException {
        Object value;
        if (type == String.class) {
            return row.getString(1);
        } else if (type == Long.class) {
            value = row.getLong(1);
        } else if (type == Integer.class) {
            value = row.getInt(1);
        } else if (type == Boolean.class) {
            value = row.getBoolean(1);
        } else {
            throw new IllegalArgumentException("cannot read a value of " + type);
        }
        return row.wasNull() ? null : value;
    }

    @Override
    Query self() {
        return this;
    }
}
