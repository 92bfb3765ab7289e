package dev.ash.server.event;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.TenantId;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/** Long polling of {@code GET …/events?after=&wait=}, for clients that cannot use a stream. */
public final class EventPolls {
    /** Less than a minute, after which many proxies abort a request. */
    public static final Duration MAX_WAIT = Duration.ofSeconds(50);

    private final EventViews views;
    private final SessionEvents events;

    public EventPolls(EventViews views, SessionEvents events) {
        this.views = views;
        this.events = events;
    }

    /**
     * Passes the rows after {@code after} to the consumer, and waits for the first of them if there
     * are none yet, at most {@link #MAX_WAIT}. Subscribes before the first read, so that no event
     * is missed between reading and waiting.
     */
    public void awaitEvents(
            TenantId tenant,
            SessionId session,
            long after,
            int limit,
            Optional<String> type,
            Duration wait,
            EventViews.RowConsumer consumer)
            throws IOException, InterruptedException {
        var counting = new CountingConsumer(consumer);
        long nanos = Math.min(wait.toNanos(), MAX_WAIT.toNanos());
        long deadline = System.nanoTime() + nanos;
        try (var subscription = events.subscribeLive(session)) {
            while (true) {
                // Continue after rows of other types, which need not be read again.
                after = views.events(tenant, session, after, limit, type, counting);
                var remaining = Duration.ofNanos(deadline - System.nanoTime());
                if (counting.count > 0 || !remaining.isPositive()) {
                    return;
                }
                subscription.nextBatch(remaining);
                if (subscription.isClosed()) {
                    return;
                }
            }
        }
    }

    private static final class CountingConsumer implements EventViews.RowConsumer {
        private final EventViews.RowConsumer consumer;
        private long count;

        private CountingConsumer(EventViews.RowConsumer consumer) {
            this.consumer = consumer;
        }

        @Override
        public boolean accept(ViewRow row) throws IOException {
            count++;
            return consumer.accept(row);
        }
    }
}
