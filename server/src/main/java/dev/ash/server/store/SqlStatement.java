package dev.ash.server.store;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A statement and the values of its parameters. Executed once. */
public abstract sealed class SqlStatement<S extends SqlStatement<S>> permits Query, Update {
    private final StatementCache statements;
    private final List<String> names = new ArrayList<>();
    private final List<@Nullable Object> values = new ArrayList<>();
    private String sql;

    SqlStatement(StatementCache statements, String sql) {
        this.statements = statements;
        this.sql = sql;
    }

    /** Sets a parameter: a text, a number, a boolean, bytes or null. */
    public S bind(String name, @Nullable Object value) {
        names.add(name);
        values.add(value);
        return self();
    }

    /** Replaces a template variable by a text of this program, never by input of a user. */
    public S define(String variable, String text) {
        sql = sql.replace("<" + variable + ">", text);
        return self();
    }

    /**
     * Replaces a template variable by a parameter for each value, of which there is at least one.
     */
    public S bindList(String variable, Collection<?> list) {
        if (list.isEmpty()) {
            throw new IllegalArgumentException("no values for <" + variable + ">");
        }
        var parameters = new StringBuilder();
        for (var value : list) {
            var name = variable + "_" + names.size();
            parameters.append(parameters.isEmpty() ? ":" : ", :").append(name);
            bind(name, value);
        }
        return define(variable, parameters.toString());
    }

    abstract S self();

    /** Runs a prepared statement. */
    interface Execution<T> {
        T run(PreparedStatement statement) throws SQLException;
    }

    <T> T execute(Execution<T> execution) {
        var parsed = ParsedSql.of(sql);
        try {
            var statement = statements.acquire(parsed.text());
            try {
                setParameters(statement, parsed.parameters());
                return execution.run(statement);
            } finally {
                statements.release(parsed.text(), statement);
            }
        } catch (SQLException e) {
            throw new SqlException(sql, e);
        }
    }

    private void setParameters(PreparedStatement statement, List<String> parameters)
            throws SQLException {
        for (int i = 0; i < parameters.size(); i++) {
            int bound = names.indexOf(parameters.get(i));
            if (bound < 0) {
                throw new IllegalStateException(
                        "no value for :" + parameters.get(i) + " in: " + sql);
            }
            set(statement, i + 1, values.get(bound));
        }
    }

    static void set(PreparedStatement statement, int index, @Nullable Object value)
            throws SQLException {
        // Not a switch over types, for which the JVM generates code at its first execution.
        if (value instanceof String text) {
            statement.setString(index, text);
        } else if (value instanceof Long number) {
            statement.setLong(index, number);
        } else if (value instanceof Integer number) {
            statement.setInt(index, number);
        } else if (value instanceof byte[] bytes) {
            statement.setBytes(index, bytes);
        } else if (value instanceof Boolean truth) {
            statement.setBoolean(index, truth);
        } else if (value instanceof Double number) {
            statement.setDouble(index, number);
        } else if (value == null) {
            statement.setNull(index, Types.NULL);
        } else {
            throw new IllegalArgumentException("cannot store a value of " + value.getClass());
        }
    }
}
