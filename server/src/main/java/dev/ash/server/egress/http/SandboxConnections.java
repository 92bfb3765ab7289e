package dev.ash.server.egress.http;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** All connections of one sandbox, of its clients and to upstream hosts; closes them together. */
public final class SandboxConnections implements AutoCloseable {
    /** Engines make few calls concurrently. */
    static final int MAX_KEPT = 2;

    /** Less than the idle timeout of common model APIs and load balancers. */
    static final Duration MAX_IDLE = Duration.ofSeconds(50);

    private record Kept(TimedConnection connection, Object use) {}

    /**
     * In the order of opening, so that a client is closed before its upstream host. A host that is
     * closed first could send a last response, which would reach the client.
     */
    private final Set<TimedConnection> open = new LinkedHashSet<>();

    private final Map<TimedConnection, Duration> outliving = new HashMap<>();
    private final ArrayDeque<Kept> kept = new ArrayDeque<>(); // the latest first
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

    /**
     * Keeps the connection of a request that has ended for the next one of equal {@code use}, which
     * includes host and credential; closes it if it cannot be reused.
     */
    public void keep(TimedConnection connection, Object use) {
        if (!connection.isReusable()) {
            connection.close();
            return;
        }
        connection.keep(MAX_IDLE);
        try {
            addKept(new Kept(connection, use)).ifPresent(excess -> close(excess.connection()));
        } catch (IOException e) {
            // The sandbox has ended; the connection is closed.
        }
    }

    private synchronized Optional<Kept> addKept(Kept added) throws IOException {
        add(added.connection());
        kept.addFirst(added);
        return kept.size() > MAX_KEPT ? Optional.of(kept.removeLast()) : Optional.empty();
    }

    /** Returns a kept connection for this use that the host has not closed. */
    public Optional<TimedConnection> reuse(Object use) {
        for (var next = pollKept(); next != null; next = pollKept()) {
            remove(next.connection());
            if (next.use().equals(use) && next.connection().tryReuse()) {
                return Optional.of(next.connection());
            }
            next.connection().close(); // stale, or the credential was replaced
        }
        return Optional.empty();
    }

    private synchronized @Nullable Kept pollKept() {
        return kept.pollFirst();
    }

    public synchronized boolean isClosed() {
        return closed;
    }

    @Override
    public synchronized void close() {
        closed = true;
        open.forEach(TimedConnection::close);
        open.clear();
        kept.clear();
        outliving.forEach((connection, time) -> connection.closeWithin(time));
        outliving.clear();
    }
}
