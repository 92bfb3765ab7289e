package dev.ash.pair.mailbox;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Tells whether the bytes after the last newline are torn: the rest of a line whose writer was
 * killed. They are if they have not changed for the grace period; until then, a program without our
 * lock may still be writing them. For one thread at a time.
 */
final class TornTail {
    private final MailboxFile file;
    private final long graceNanos;
    private final LongSupplier nanoTime;
    private long start;
    private long length;
    private long since;
    private boolean claimed;

    TornTail(MailboxFile file, Duration grace, LongSupplier nanoTime) {
        this.file = file;
        this.graceNanos = grace.toNanos();
        this.nanoTime = nanoTime;
    }

    /** To be called after each look at the file. */
    void observe() {
        if (file.end() != start || file.tailBytes() != length) {
            start = file.end();
            length = file.tailBytes();
            since = nanoTime.getAsLong();
            claimed = false;
        }
    }

    /** Whether these bytes are torn and nobody has claimed to terminate them before. */
    boolean claim() {
        boolean granted = isTorn() && !claimed;
        claimed |= granted;
        return granted;
    }

    boolean isEmpty() {
        return length == 0;
    }

    boolean isTorn() {
        return length > 0 && nanosUntilTorn() <= 0;
    }

    long nanosUntilTorn() {
        return graceNanos - (nanoTime.getAsLong() - since);
    }
}
