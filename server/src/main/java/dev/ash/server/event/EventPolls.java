package dev.ash.server.event;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.TenantId;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/** {@code GET …/events?after=&wait=}: the same rows, for clients that cannot hold a stream. */
public final class EventPolls {
    /** Proxies cut an answer that keeps them waiting for a minute. */
    public static final Duration MAX_WAIT = Duration.ofSeconds(50);

    private final EventViews views;
    private final SessionEvents events;

    public EventPolls(EventViews views, SessionEvents events) {
        this.views = views;
        this.events = events;
    }

    /**
     * Hands over rows after {@code after}, waiting for the first of them; none if none came in this
     * time, which is at most {@link #MAX_WAIT}. Whether anything is new is watched from before the
     * first look, so nothing can come between the look and the waiting.
     */
    public void awaitEvents(
            TenantId tenant,
            SessionId session,
            long after,
            int limit,
            Optional<String> type,
            Duration wait,
            EventViews.RowConsumer to)
            throws IOException, InterruptedException {
        var counting = new CountingConsumer(to);
        long nanos = Math.min(wait.toNanos(), MAX_WAIT.toNanos());
        long deadline = System.nanoTime() + nanos;
        try (var subscription = events.subscribeLive(session)) {
            while (true) {
                // Rows of other types are not looked at again.
                after = views.events(tenant, session, after, limit, type, counting);
                var left = Duration.ofNanos(deadline - System.nanoTime());
                if (counting.count > 0 || !left.isPositive()) {
                    return;
                }
                subscription.nextBatch(left);
                if (subscription.isClosed()) {
                    return;
                }
            }
        }
    }

    private static final class CountingConsumer implements EventViews.RowConsumer {
        private final EventViews.RowConsumer to;
        private long count;

        private CountingConsumer(EventViews.RowConsumer to) {
            this.to = to;
        }

        @Override
        public boolean accept(ViewRow row) throws IOException {
            count++;
            return to.accept(row);
        }
    }
}
