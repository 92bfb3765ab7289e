package dev.ash.server.session;

import dev.ash.protocol.bridge.BridgeCommand;
import dev.ash.server.store.KillPoint;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Tells a bridge how far its events are stored: now and then, for each tells of all before it. What
 * is stored is heard on the writer's thread, in order; what is sent goes by another, because a
 * bridge that does not read must not hold up everyone's writes.
 */
final class Acks {
    private static final int EVENTS = 64;
    private static final int BYTES = 1024 * 1024;

    private final Sender bridge;
    private final AtomicLong stored = new AtomicLong();
    private final AtomicBoolean sending = new AtomicBoolean();
    private int events;
    private long bytes;

    interface Sender {
        void send(BridgeCommand command) throws IOException;
    }

    Acks(Sender bridge) {
        this.bridge = bridge;
    }

    /** {@code atRest}: nothing may follow for a while, so that this is not left to the next one. */
    void stored(long n, int size, boolean atRest) {
        stored.set(n);
        events++;
        bytes += size;
        if (atRest || events >= EVENTS || bytes >= BYTES) {
            events = 0;
            bytes = 0;
            if (sending.compareAndSet(false, true)) {
                Thread.ofVirtual().start(this::send);
            }
        }
    }

    private void send() {
        try {
            for (long sent = 0, latest = stored.get(); sent != latest; latest = stored.get()) {
                bridge.send(new BridgeCommand.Ack(latest));
                KillPoint.EVENT_ACKED.reached();
                sent = latest;
            }
        } catch (IOException e) {
            // The bridge is gone; its successor is told from where on to send.
        } finally {
            sending.set(false);
        }
    }
}
