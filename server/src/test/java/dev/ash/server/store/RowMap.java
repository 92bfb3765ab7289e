package dev.ash.server.store;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;

/** Maps rows whose columns a test does not name to maps by column name. */
public final class RowMap {
    public static Map<String, Object> of(ResultSet row) throws SQLException {
        var values = new LinkedHashMap<String, Object>();
        var columns = row.getMetaData();
        for (int i = 1; i <= columns.getColumnCount(); i++) {
            values.put(columns.getColumnLabel(i), row.getObject(i));
        }
        return values;
    }

    private RowMap() {}
}
