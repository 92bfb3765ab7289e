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
 * The connections that only read, a few for all threads. Whoever finds none free waits without
 * spinning: a pool whose threads yield until someone takes what they give back can keep all
 * carriers of virtual threads from the very thread that is to take it.
 */
final class Readers implements ConnectionFactory, AutoCloseable {
    static final int MAX = 8;
    private static final System.Logger LOG = System.getLogger("ash.store");
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final DataSource source;
    private final Semaphore places = new Semaphore(MAX, true);
    private final ConcurrentLinkedDeque<Connection> idle = new ConcurrentLinkedDeque<>();
    private volatile boolean closed;

    Readers(DataSource source) {
        this.source = source;
    }

    @Override
    public Connection openConnection() throws SQLException {
        places.acquireUninterruptibly();
        try {
            if (closed) {
                throw new SQLException("The database is closed");
            }
            var kept = idle.pollFirst();
            return kept == null ? source.getConnection() : kept;
        } catch (SQLException | RuntimeException e) {
            places.release();
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
            places.release();
        }
    }

    /** Those that are in use are closed by whoever uses them, which is waited for a moment. */
    @Override
    public void close() {
        closed = true;
        try {
            closeIdle();
            if (places.tryAcquire(MAX, PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
                places.release(MAX); // who comes now is told that it is closed
            } else {
                LOG.log(System.Logger.Level.WARNING, "a query outlives its database");
            }
        } catch (SQLException e) {
            LOG.log(System.Logger.Level.WARNING, "a connection did not close", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void closeIdle() throws SQLException {
        for (var left = idle.pollFirst(); left != null; left = idle.pollFirst()) {
            left.close();
        }
    }
}
