package dev.ash.server.egress;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/** Lets a refusal be told once a minute for each host and reason, and not too many a minute. */
final class BlockedNotices {
    private static final System.Logger LOG = System.getLogger(BlockedNotices.class.getName());

    private static final long AGAIN_NANOS = Duration.ofMinutes(1).toNanos();
    private static final int HOSTS_A_MINUTE = 60;

    private final Consumer<Blocked> listener;
    private final LongSupplier nanoTime;
    private final LinkedHashMap<String, Long> told = new LinkedHashMap<>();

    BlockedNotices(Consumer<Blocked> listener, LongSupplier nanoTime) {
        this.listener = listener;
        this.nanoTime = nanoTime;
    }

    void blocked(Blocked blocked) {
        if (!first(blocked.host() + ":" + blocked.port() + " " + blocked.reason())) {
            return;
        }
        try {
            listener.accept(blocked);
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "a refusal could not be recorded", e);
        }
    }

    private synchronized boolean first(String host) {
        long now = nanoTime.getAsLong();
        told.values().removeIf(time -> now - time >= AGAIN_NANOS);
        return told.size() < HOSTS_A_MINUTE && told.putIfAbsent(host, now) == null;
    }
}
