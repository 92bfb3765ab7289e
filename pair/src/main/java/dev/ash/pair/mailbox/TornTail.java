package dev.ash.pair.mailbox;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Detects torn bytes after the last newline: an incomplete line whose writer was killed. Bytes
 * count as torn if they are unchanged for the grace period; until then, a program without the lock
 * may still be writing them. Not thread-safe.
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

    /** Must be called after each refresh of the file. */
    void observe() {
        if (file.end() != start || file.tailBytes() != length) {
            start = file.end();
            length = file.tailBytes();
            since = nanoTime.getAsLong();
            claimed = false;
        }
    }

    /** Returns true for the first caller after the bytes became torn, which must terminate them. */
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
