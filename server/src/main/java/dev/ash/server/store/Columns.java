package dev.ash.server.store;

import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Reads column types that JDBC does not support directly. */
public final class Columns {
    /** Returns the number in this column, or null for an SQL null. */
    public static @Nullable Long nullableLong(ResultSet rows, String column) throws SQLException {
        long value = rows.getLong(column);
        return rows.wasNull() ? null : (Long) value;
    }

    private Columns() {}
}
