package dev.ash.bridge;

import dev.ash.protocol.json.RawJson;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * The encoded events that the bridge retains, numbered without gaps: first the events in flight,
 * which a connection has taken, then the pending ones. Not thread-safe.
 */
final class RetainedEvents {
    private final ArrayDeque<RawJson> inFlight = new ArrayDeque<>();
    private final ArrayDeque<RawJson> pending = new ArrayDeque<>();
    private long inFlightBytes;
    private long pendingBytes;
    private long lastNumber;

    long nextNumber() {
        return lastNumber + 1;
    }

    /** Adds the line of the event with number {@link #nextNumber()}. */
    void add(RawJson line) {
        lastNumber++;
        pending.addLast(line);
        pendingBytes += line.length();
    }

    boolean hasNoPending() {
        return pending.isEmpty();
    }

    long inFlightBytes() {
        return inFlightBytes;
    }

    long pendingBytes() {
        return pendingBytes;
    }

    /** Takes pending events of about this size in total; at least one if there are any. */
    List<RawJson> take(int bytes) {
        var lines = new ArrayList<RawJson>();
        for (long remaining = bytes; remaining > 0 && !pending.isEmpty(); ) {
            var line = pending.removeFirst();
            pendingBytes -= line.length();
            inFlightBytes += line.length();
            remaining -= line.length();
            inFlight.addLast(line);
            lines.add(line);
        }
        return lines;
    }

    /** Makes events in flight pending again, before all others. */
    void rewind() {
        while (!inFlight.isEmpty()) {
            pending.addFirst(inFlight.removeLast());
        }
        pendingBytes += inFlightBytes;
        inFlightBytes = 0;
    }

    void dropInFlight() {
        inFlight.clear();
        inFlightBytes = 0;
    }

    /** Drops all events up to this number, in flight or pending. */
    void dropUpTo(long number) {
        long first = lastNumber - inFlight.size() - pending.size() + 1;
        for (long n = first; n <= number && n <= lastNumber; n++) {
            if (inFlight.isEmpty()) {
                pendingBytes -= pending.removeFirst().length();
            } else {
                inFlightBytes -= inFlight.removeFirst().length();
            }
        }
    }
}
