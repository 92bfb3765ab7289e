package dev.ash.server.egress.policy;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/** Reports each blocked host and reason once a minute, and a limited number of them in total. */
public final class BlockedNotices {
    private static final System.Logger LOG = System.getLogger(BlockedNotices.class.getName());

    private static final long AGAIN_NANOS = Duration.ofMinutes(1).toNanos();
    private static final int HOSTS_A_MINUTE = 60;

    private final Consumer<Blocked> listener;
    private final LongSupplier nanoTime;
    private final LinkedHashMap<String, Long> reported = new LinkedHashMap<>();

    public BlockedNotices(Consumer<Blocked> listener, LongSupplier nanoTime) {
        this.listener = listener;
        this.nanoTime = nanoTime;
    }

    public void blocked(Blocked blocked) {
        if (!isNew(blocked.host() + ":" + blocked.port() + " " + blocked.reason())) {
            return;
        }
        try {
            listener.accept(blocked);
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "a refusal could not be recorded", e);
        }
    }

    private synchronized boolean isNew(String host) {
        long now = nanoTime.getAsLong();
        reported.values().removeIf(time -> now - time >= AGAIN_NANOS);
        return reported.size() < HOSTS_A_MINUTE && reported.putIfAbsent(host, now) == null;
    }
}
