package dev.ash.server.store;

import dev.ash.server.store.Housekeeping.Task;
import java.sql.SQLException;
import java.util.List;

/**
 * Returns the pages of deleted rows to the file system in small steps between other writes. Works
 * only in databases that were created with incremental vacuum (since version 8); older ones reuse
 * the pages for new rows.
 */
public final class FreePages {
    /** The number of pages to retain for new rows: 16 MB. */
    public static final int RETAINED = 4096;

    /** The number of pages to free in one unit of work, which takes a few milliseconds. */
    private static final int STEP = 128;

    private static final String VACUUM_MODE = "PRAGMA auto_vacuum";
    private static final long INCREMENTAL = 2;
    private static final String COUNT = "PRAGMA freelist_count";
    private static final String FREE_SOME = "PRAGMA incremental_vacuum(" + STEP + ")";

    private final Database database;
    private final int retained;

    public FreePages(Database database, int retained) {
        this.database = database;
        this.retained = retained;
    }

    public static List<Task> tasks(Storage storage) {
        var pages = new FreePages(storage.database(), RETAINED);
        return List.of(new Task("Release of free pages", pages::release));
    }

    public void release() throws InterruptedException {
        if (pragma(VACUUM_MODE) != INCREMENTAL) {
            return;
        }
        while (pragma(COUNT) > retained) {
            long begin = System.nanoTime();
            database.writer().write(transaction -> step(transaction.handle()));
            Thread.sleep(
                    java.time.Duration.ofNanos(
                            System.nanoTime() - begin)); // leave time for other writes
        }
    }

    private long pragma(String statement) {
        return database.read(handle -> handle.createQuery(statement).mapTo(Long.class).one());
    }

    /** Runs as an update, which the driver completes; as a query it would free only one page. */
    private static int step(Handle handle) {
        try (var statement = handle.connection().createStatement()) {
            return statement.executeUpdate(FREE_SOME);
        } catch (SQLException e) {
            throw new SqlException(FREE_SOME, e);
        }
    }
}
