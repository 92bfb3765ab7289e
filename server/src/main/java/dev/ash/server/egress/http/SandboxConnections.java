package dev.ash.server.egress.http;

import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/** All connections of one sandbox, of its clients and to upstream hosts; closes them together. */
public final class SandboxConnections implements AutoCloseable {
    /**
     * In the order of opening, so that a client is closed before its upstream host. A host that is
     * closed first could send a last response, which would reach the client.
     */
    private final Set<TimedConnection> open = new LinkedHashSet<>();

    private final Map<TimedConnection, Duration> outliving = new HashMap<>();
    private boolean closed;

    public synchronized TimedConnection add(TimedConnection connection) throws IOException {
        requireOpen(connection);
        open.add(connection);
        return connection;
    }

    /** Adds a connection that stays open for up to {@code time} after the sandbox has ended. */
    public synchronized TimedConnection addOutliving(TimedConnection connection, Duration time)
            throws IOException {
        requireOpen(connection);
        outliving.put(connection, time);
        return connection;
    }

    private void requireOpen(TimedConnection connection) throws IOException {
        if (closed) {
            connection.close();
            throw new IOException("the sandbox has ended");
        }
    }

    public void close(TimedConnection connection) {
        connection.close();
        remove(connection);
    }

    public synchronized void remove(TimedConnection connection) {
        open.remove(connection);
        outliving.remove(connection);
    }

    public synchronized boolean isClosed() {
        return closed;
    }

    @Override
    public synchronized void close() {
        closed = true;
        open.forEach(TimedConnection::close);
        open.clear();
        outliving.forEach((connection, time) -> connection.closeWithin(time));
        outliving.clear();
    }
}
