package dev.ash.server.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jdbi.v3.core.ConnectionFactory;

/**
 * A pool of read connections. Threads block without spinning while none is free: in a pool that
 * hands connections over by spinning, the spinning threads can occupy all carriers of virtual
 * threads and starve the receiver.
 */
final class ReadConnectionPool implements ConnectionFactory, AutoCloseable {
    static final int MAX = 8;
    private static final System.Logger LOG = System.getLogger("ash.store");
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

    private final DataSource source;
    private final Semaphore permits = new Semaphore(MAX, true);
    private final ConcurrentLinkedDeque<Connection> idle = new ConcurrentLinkedDeque<>();
    private volatile boolean closed;

    ReadConnectionPool(DataSource source) {
        this.source = source;
    }

    @Override
    public Connection openConnection() throws SQLException {
        permits.acquireUninterruptibly();
        try {
            if (closed) {
                throw new SQLException("The database is closed");
            }
            var pooled = idle.pollFirst();
            return pooled == null ? source.getConnection() : pooled;
        } catch (SQLException | RuntimeException e) {
            permits.release();
            throw e;
        }
    }

    @Override
    public void closeConnection(Connection connection) throws SQLException {
        try {
            if (!connection.isClosed()) {
                idle.addFirst(connection);
            }
            if (closed) {
                closeIdle();
            }
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
            next.close();
        }
    }
}
