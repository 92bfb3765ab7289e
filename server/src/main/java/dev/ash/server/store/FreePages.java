package dev.ash.server.store;

import java.sql.SQLException;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.UnableToExecuteStatementException;

/**
 * Gives pages that deleted rows left back to the file system, a few at a time between other writes.
 * Only a database that was made for it can do so, which all are since version 8; in older ones the
 * pages are used again for new rows.
 */
public final class FreePages {
    /** So many are kept for the rows to come. */
    private static final int KEPT = 4096;

    /** So many are given back in one unit of work: moving them takes a few milliseconds. */
    private static final int STEP = 128;

    private final Database database;

    public FreePages(Database database) {
        this.database = database;
    }

    public void giveBack() throws InterruptedException {
        if (pragma("auto_vacuum") != 2) {
            return;
        }
        while (pragma("freelist_count") > KEPT) {
            long begin = System.nanoTime();
            database.writer().write(transaction -> step(transaction.handle()));
            Thread.sleep(java.time.Duration.ofNanos(System.nanoTime() - begin)); // others write too
        }
    }

    private long pragma(String name) {
        return database.read(
                handle -> handle.createQuery("PRAGMA " + name).mapTo(Long.class).one());
    }

    /** Each row of the answer is one page, which is moved when the row is asked for. */
    private static int step(Handle handle) {
        try (var statement = handle.getConnection().createStatement();
                var rows = statement.executeQuery("PRAGMA incremental_vacuum(" + STEP + ")")) {
            int pages = 0;
            while (rows.next()) {
                pages++;
            }
            return pages;
        } catch (SQLException e) {
            throw new UnableToExecuteStatementException(e, null);
        }
    }
}
