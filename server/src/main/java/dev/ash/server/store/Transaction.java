package dev.ash.server.store;

import org.jdbi.v3.core.Handle;

/**
 * The transaction that a unit of work runs in. Features pass it on to their stores, which alone
 * know what to do with it.
 */
public final class Transaction {
    private final Handle handle;

    Transaction(Handle handle) {
        this.handle = handle;
    }

    public Handle handle() {
        return handle;
    }
}
