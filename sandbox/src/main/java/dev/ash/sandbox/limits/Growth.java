package dev.ash.sandbox.limits;

import java.util.ArrayDeque;

/** The increase of a measured number of bytes over the last measurements. */
final class Growth {
    private static final int KEPT = 5;

    private final ArrayDeque<Long> used = new ArrayDeque<>();

    void add(long bytes) {
        if (used.size() == KEPT) {
            used.removeFirst();
        }
        used.addLast(bytes);
    }

    long bytes() {
        return used.isEmpty() ? 0 : used.getLast() - used.getFirst();
    }

    /** Discards all measurements but the latest. */
    void restart() {
        while (used.size() > 1) {
            used.removeFirst();
        }
    }
}
