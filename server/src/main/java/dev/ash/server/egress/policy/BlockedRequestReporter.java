package dev.ash.server.egress.policy;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Reports blocked requests to a listener: each host and reason at most once a minute, and a limited
 * number of them per minute.
 */
public final class BlockedRequestReporter {
    private static final System.Logger LOG =
            System.getLogger(BlockedRequestReporter.class.getName());

    private static final long REPEAT_INTERVAL_NANOS = Duration.ofMinutes(1).toNanos();
    private static final int MAX_REPORTS_PER_MINUTE = 60;

    private final Consumer<BlockedRequest> listener;
    private final LongSupplier nanoTime;
    private final LinkedHashMap<String, Long> reported = new LinkedHashMap<>();

    public BlockedRequestReporter(Consumer<BlockedRequest> listener, LongSupplier nanoTime) {
        this.listener = listener;
        this.nanoTime = nanoTime;
    }

    public void report(BlockedRequest blocked) {
        if (!isNew(blocked.host() + ":" + blocked.port() + " " + blocked.reason())) {
            return;
        }
        try {
            listener.accept(blocked);
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "cannot report a blocked request", e);
        }
    }

    private synchronized boolean isNew(String key) {
        long now = nanoTime.getAsLong();
        reported.values().removeIf(time -> now - time >= REPEAT_INTERVAL_NANOS);
        return reported.size() < MAX_REPORTS_PER_MINUTE && reported.putIfAbsent(key, now) == null;
    }
}
