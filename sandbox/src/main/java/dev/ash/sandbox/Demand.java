package dev.ash.sandbox;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.function.LongSupplier;

/**
 * The recent demand for warm sandboxes of one kind: the largest number of requests within a short
 * time. It is kept for some minutes, so that the next burst finds as many. Not thread-safe.
 */
final class Demand {
    private static final long BURST = Duration.ofSeconds(2).toNanos();
    private static final long MEMORY = Duration.ofMinutes(5).toNanos();

    private final LongSupplier clock;
    private final ArrayDeque<Long> requests = new ArrayDeque<>(); // of the last burst; bounded
    private int largest;
    private long largestAt;

    /** {@code clock} returns nanoseconds. */
    Demand(LongSupplier clock) {
        this.clock = clock;
        this.largestAt = clock.getAsLong();
    }

    /** Records a request; counts at most {@code max} of a burst. */
    void record(int max) {
        long now = clock.getAsLong();
        requests.addLast(now);
        while (requests.size() > max || now - requests.getFirst() > BURST) {
            requests.removeFirst();
        }
        if (requests.size() >= current()) {
            largest = requests.size();
            largestAt = now;
        }
    }

    /** Returns the size of the largest recent burst. */
    int current() {
        if (clock.getAsLong() - largestAt > MEMORY) {
            largest = 0;
        }
        return largest;
    }
}
