package dev.ash.server.store;

import java.sql.PreparedStatement;

/** A statement that changes rows. */
public final class Update extends SqlStatement<Update> {
    Update(StatementCache statements, String sql) {
        super(statements, sql);
    }

    /** Executes the statement and returns the number of changed rows. */
    public int execute() {
        return execute(PreparedStatement::executeUpdate);
    }

    @Override
    Update self() {
        return this;
    }
}
