package dev.ash.server.event;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.rest.SessionApi;
import java.time.Duration;
import java.util.List;
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
     * Rows after {@code after}, waiting for the first of them; empty if none came in this time,
     * which is at most {@link #MAX_WAIT}. Whether anything is new is watched from before the first
     * look, so nothing can come between the look and the waiting.
     */
    public List<SessionApi.Event> awaitEvents(
            TenantId tenant,
            SessionId session,
            long after,
            int limit,
            Optional<String> type,
            Duration wait)
            throws InterruptedException {
        long nanos = Math.min(wait.toNanos(), MAX_WAIT.toNanos());
        long deadline = System.nanoTime() + nanos;
        try (var watcher = events.watchLive(session)) {
            while (true) {
                var page = views.page(tenant, session, after, limit, type);
                var left = Duration.ofNanos(deadline - System.nanoTime());
                if (!page.events().isEmpty() || !left.isPositive()) {
                    return page.events();
                }
                after = page.last(); // rows of other types are not looked at again
                watcher.nextBatch(left);
                if (watcher.isOver()) {
                    return List.of();
                }
            }
        }
    }
}
