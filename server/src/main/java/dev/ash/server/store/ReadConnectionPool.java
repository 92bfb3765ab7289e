package dev.ash.server.store;

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;

/**
 * A pool of read connections. Threads block without spinning while none is free: in a pool that
 * hands connections over by spinning, the spinning threads can occupy all carriers of virtual
 * threads and starve the receiver.
 */
final class ReadConnectionPool implements AutoCloseable {
    static final int MAX = 8;
    private static final System.Logger LOG = System.getLogger("ash.store");
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

    private final DataSource source;
    private final Semaphore permits = new Semaphore(MAX, true);
    private final ConcurrentLinkedDeque<Handle> idle = new ConcurrentLinkedDeque<>();
    private volatile boolean closed;

    ReadConnectionPool(DataSource source) {
        this.source = source;
    }

    Handle acquire() {
        permits.acquireUninterruptibly();
        boolean acquired = false;
        try {
            if (closed) {
                throw new SQLException("The database is closed");
            }
            var pooled = idle.pollFirst();
            var handle = pooled == null ? new Handle(source.getConnection()) : pooled;
            acquired = true;
            return handle;
        } catch (SQLException e) {
            throw new SqlException("a new connection", e);
        } finally {
            if (!acquired) {
                permits.release();
            }
        }
    }

    void release(Handle handle) {
        try {
            if (!handle.connection().isClosed()) {
                idle.addFirst(handle);
            }
            if (closed) {
                closeIdle();
            }
        } catch (SQLException e) {
            throw new SqlException("the release of a connection", e);
        } finally {
            permits.release();
        }
    }

    /** Closes idle connections and waits briefly for the return of those in use. */
    @Override
    public void close() {
        closed = true;
        try {
            closeIdle();
            if (permits.tryAcquire(MAX, CLOSE_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)) {
                permits.release(MAX); // waiting callers now fail because the pool is closed
            } else {
                LOG.log(
                        System.Logger.Level.WARNING,
                        "Queries are still running after the database was closed");
            }
        } catch (SQLException e) {
            LOG.log(System.Logger.Level.WARNING, "Cannot close a connection", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void closeIdle() throws SQLException {
        for (var next = idle.pollFirst(); next != null; next = idle.pollFirst()) {
            next.connection().close();
        }
    }
}
