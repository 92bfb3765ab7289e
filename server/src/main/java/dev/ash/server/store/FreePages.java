package dev.ash.server.store;

import dev.ash.server.store.Housekeeping.Task;
import java.sql.SQLException;
import java.util.List;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.UnableToExecuteStatementException;

/**
 * Gives pages that deleted rows left back to the file system, a few at a time between other writes.
 * Only a database that was made for it can do so, which all are since version 8; in older ones the
 * pages are used again for new rows.
 */
public final class FreePages {
    /** So many are kept for the rows to come: 16 MB. */
    public static final int KEPT = 4096;

    /** So many are given back in one unit of work: moving them takes a few milliseconds. */
    private static final int STEP = 128;

    private static final String VACUUM_MODE = "PRAGMA auto_vacuum";
    private static final long INCREMENTAL = 2;
    private static final String COUNT = "PRAGMA freelist_count";
    private static final String FREE_SOME = "PRAGMA incremental_vacuum(" + STEP + ")";

    private final Database database;
    private final int kept;

    public FreePages(Database database, int kept) {
        this.database = database;
        this.kept = kept;
    }

    public static List<Task> tasks(Storage storage) {
        var pages = new FreePages(storage.database(), KEPT);
        return List.of(new Task("the return of free pages", pages::giveBack));
    }

    public void giveBack() throws InterruptedException {
        if (pragma(VACUUM_MODE) != INCREMENTAL) {
            return;
        }
        while (pragma(COUNT) > kept) {
            long begin = System.nanoTime();
            database.writer().write(transaction -> step(transaction.handle()));
            Thread.sleep(java.time.Duration.ofNanos(System.nanoTime() - begin)); // others write too
        }
    }

    private long pragma(String statement) {
        return database.read(handle -> handle.createQuery(statement).mapTo(Long.class).one());
    }

    /** As an update, which the driver runs to its end: a query would move one page. */
    private static int step(Handle handle) {
        try (var statement = handle.getConnection().createStatement()) {
            return statement.executeUpdate(FREE_SOME);
        } catch (SQLException e) {
            throw new UnableToExecuteStatementException(e, null);
        }
    }
}
