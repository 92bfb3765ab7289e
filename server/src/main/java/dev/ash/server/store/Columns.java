package dev.ash.server.store;

import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Reads columns that JDBC cannot read in one call. */
public final class Columns {
    /** The number in this column; null for SQL's null. */
    public static @Nullable Long nullableLong(ResultSet rows, String column) throws SQLException {
        long value = rows.getLong(column);
        return rows.wasNull() ? null : (Long) value;
    }

    private Columns() {}
}
