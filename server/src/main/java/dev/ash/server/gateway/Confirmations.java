package dev.ash.server.gateway;

import dev.ash.protocol.SessionId;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Determines which events a device has received. After events, the server sends a ping. WebSocket
 * libraries automatically return a pong, which confirms all frames sent before that ping. At most
 * one ping is pending.
 */
final class Confirmations {
    private final Consumer<Runnable> ping;
    private final CursorWriter writer;
    private final Map<SessionId, Long> lastSent = new HashMap<>();
    private final Map<SessionId, Long> sentSincePing = new HashMap<>();
    private Map<SessionId, Long> sentBeforePing = Map.of();
    private boolean pingPending;

    /** Stores which events a device has received, and runs {@code onWritten} afterwards. */
    interface CursorWriter {
        void write(Map<SessionId, Long> received, Runnable onWritten);
    }

    /** {@code ping} sends a ping and runs its argument after the pong. */
    Confirmations(Consumer<Runnable> ping, CursorWriter writer) {
        this.ping = ping;
        this.writer = writer;
    }

    /** Called after all events of this session up to {@code seq} were sent. */
    synchronized void sent(SessionId session, long seq) {
        if (lastSent.getOrDefault(session, 0L) >= seq) {
            return; // no logged event was sent
        }
        lastSent.put(session, seq);
        sentSincePing.put(session, seq);
        if (!pingPending) {
            sendPing();
        }
    }

    private synchronized void confirmed() {
        writer.write(sentBeforePing, this::written);
    }

    /** Sends the next ping after the write: a device can rely on the confirmations before it. */
    private synchronized void written() {
        pingPending = false;
        if (!sentSincePing.isEmpty()) {
            sendPing();
        }
    }

    private void sendPing() {
        sentBeforePing = Map.copyOf(sentSincePing);
        sentSincePing.clear();
        pingPending = true;
        ping.accept(this::confirmed);
    }
}
