package dev.ash.server.egress.model;

import dev.ash.server.egress.http.SandboxConnections;
import dev.ash.server.egress.http.TimedConnection;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the connections of one sandbox to its model API between calls, which saves the connection
 * setup, and with TLS the handshake, of each call. A connection is reused only by calls with the
 * same URL and credential. Thread-safe.
 */
final class ModelConnections {
    /** Engines make few calls concurrently. */
    static final int MAX_IDLE = 2;

    /** Less than the idle timeout of common model APIs and load balancers. */
    static final Duration IDLE = Duration.ofSeconds(50);

    private record Idle(TimedConnection connection, ModelAccess access) {}

    private final SandboxConnections connections;
    private final ArrayDeque<Idle> idle = new ArrayDeque<>(); // the latest first; guarded by this

    ModelConnections(SandboxConnections connections) {
        this.connections = connections;
    }

    /** Returns a kept connection that the host has not closed, or null if there is none. */
    @Nullable TimedConnection poll(ModelAccess access) {
        for (var next = next(); next != null; next = next()) {
            connections.remove(next.connection());
            if (next.access().equals(access) && next.connection().tryReuse()) {
                return next.connection();
            }
            next.connection().close(); // stale, or the credential was replaced
        }
        return null;
    }

    private synchronized @Nullable Idle next() {
        return idle.pollFirst();
    }

    /** Keeps the connection of a call that has ended, or closes it if it cannot be reused. */
    void release(TimedConnection connection, ModelAccess access) {
        if (!connection.isReusable()) {
            connection.close();
            return;
        }
        connection.keep(IDLE);
        try {
            connections.add(connection); // closed with the sandbox
        } catch (IOException e) {
            return; // the sandbox has ended; the connection is closed
        }
        var excess = add(new Idle(connection, access));
        if (excess != null) {
            connections.close(excess.connection());
        }
    }

    private synchronized @Nullable Idle add(Idle added) {
        idle.addFirst(added);
        return idle.size() > MAX_IDLE ? idle.pollLast() : null;
    }
}
