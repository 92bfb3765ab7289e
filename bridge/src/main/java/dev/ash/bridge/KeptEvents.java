package dev.ash.bridge;

import dev.ash.protocol.json.RawJson;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * The encoded events of a bridge that it still has, a gapless run of numbers up to the last: first
 * those that a connection has taken, then those that wait. Not thread-safe.
 */
final class KeptEvents {
    private final ArrayDeque<RawJson> taken = new ArrayDeque<>();
    private final ArrayDeque<RawJson> waiting = new ArrayDeque<>();
    private long takenBytes;
    private long waitingBytes;
    private long lastNumber;

    long nextNumber() {
        return lastNumber + 1;
    }

    /** The line of event {@link #nextNumber()}. */
    void add(RawJson line) {
        lastNumber++;
        waiting.addLast(line);
        waitingBytes += line.length();
    }

    boolean nothingWaits() {
        return waiting.isEmpty();
    }

    long takenBytes() {
        return takenBytes;
    }

    long waitingBytes() {
        return waitingBytes;
    }

    /** At least one if any waits, then up to about this many bytes. */
    List<RawJson> take(int bytes) {
        var lines = new ArrayList<RawJson>();
        for (long left = bytes; left > 0 && !waiting.isEmpty(); ) {
            var line = waiting.removeFirst();
            waitingBytes -= line.length();
            takenBytes += line.length();
            left -= line.length();
            taken.addLast(line);
            lines.add(line);
        }
        return lines;
    }

    /** What was taken waits again, before all others. */
    void rewind() {
        while (!taken.isEmpty()) {
            waiting.addFirst(taken.removeLast());
        }
        waitingBytes += takenBytes;
        takenBytes = 0;
    }

    void dropTaken() {
        taken.clear();
        takenBytes = 0;
    }

    /** Taken or not, events up to this number are needed no more. */
    void dropUpTo(long number) {
        long first = lastNumber - taken.size() - waiting.size() + 1;
        for (long n = first; n <= number && n <= lastNumber; n++) {
            if (taken.isEmpty()) {
                waitingBytes -= waiting.removeFirst().length();
            } else {
                takenBytes -= taken.removeFirst().length();
            }
        }
    }
}
