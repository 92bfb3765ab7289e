package dev.ash.server.approval;

import dev.ash.server.store.Database;

/** The rows of approvals, and of the tools that pass for a whole session. */
public final class ApprovalStore {
    private final Database database;

    public ApprovalStore(Database database) {
        this.database = database;
    }

    Database database() {
        return database;
    }
}
