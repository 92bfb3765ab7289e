package dev.ash.server.gateway;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.gateway.GatewayFrame;
import dev.ash.server.event.Watcher;
import java.time.Duration;
import java.util.function.Consumer;

/** Tells a device of one session, from where it stopped listening, for as long as it is there. */
final class Following implements AutoCloseable {
    private static final Duration LOOK_UP = Duration.ofMinutes(1);

    private final SessionId session;
    private final Watcher watcher;
    private final Narrator narrator;
    private final Consumer<GatewayFrame> link;
    private final Confirmations confirmations;
    private final Thread thread;

    /** The watcher becomes this one's. */
    Following(
            SessionId session,
            Watcher watcher,
            Consumer<GatewayFrame> link,
            Confirmations confirmations) {
        this.session = session;
        this.watcher = watcher;
        this.narrator = new Narrator(session);
        this.link = link;
        this.confirmations = confirmations;
        this.thread = Thread.ofVirtual().name("gateway-follow").start(this::run);
    }

    private void run() {
        try (watcher) {
            while (true) {
                long last = 0;
                for (var event : watcher.nextBatch(LOOK_UP)) {
                    narrator.tell(event).forEach(link);
                    last = Math.max(last, event.seq());
                }
                if (last > 0) {
                    confirmations.sent(session, last);
                }
            }
        } catch (InterruptedException e) {
            // The device has gone, or is no longer interested.
        }
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
