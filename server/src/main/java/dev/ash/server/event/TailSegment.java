package dev.ash.server.event;

import dev.ash.protocol.json.RawJson;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A part of a {@link Tail} that is read and evicted as a whole: one batch of events, or one
 * oversized event without its data. Guarded by the lock of the tail.
 */
final class TailSegment {
    static final int MAX_BYTES = LogReader.BATCH_BYTES;

    /** The approximate heap size of an event without its data. */
    static final int EVENT_BYTES = 160;

    int cursors; // the number of subscribers at this segment

    private final List<LoggedEvent> events = new ArrayList<>();
    private final long seqBefore;
    private final long transientsBefore;
    private long lastSeq;
    private long bytes;
    private int transients;
    private boolean oversized;
    private boolean evicted;
    private @Nullable TailSegment next;

    /** The arguments describe the events before it: the last number, and how many are transient. */
    TailSegment(long seqBefore, long transientsBefore) {
        this.seqBefore = seqBefore;
        this.lastSeq = seqBefore;
        this.transientsBefore = transientsBefore;
    }

    TailSegment newNext() {
        var created = new TailSegment(lastSeq, transientsAtEnd());
        next = created;
        return created;
    }

    @Nullable TailSegment next() {
        return next;
    }

    /** Adds the event and returns its size. */
    long add(LoggedEvent event) {
        long size = (long) event.data().length() + EVENT_BYTES;
        events.add(event);
        bytes += size;
        if (event.isTransient()) {
            transients++;
        } else {
            lastSeq = event.seq();
        }
        return size;
    }

    /** Adds the event without its data, as the only one of this segment. */
    long addOversized(LoggedEvent event) {
        oversized = true;
        return add(
                new LoggedEvent(
                        event.seq(), event.turn(), event.type(), RawJson.NULL, event.createdAt()));
    }

    boolean isOversized() {
        return oversized;
    }

    boolean isFull() {
        return oversized || bytes >= MAX_BYTES;
    }

    long bytes() {
        return bytes;
    }

    int size() {
        return events.size();
    }

    boolean hasTransients() {
        return transients > 0;
    }

    List<LoggedEvent> from(int index) {
        return List.copyOf(events.subList(index, events.size()));
    }

    long seqBefore() {
        return seqBefore;
    }

    long transientsAtEnd() {
        return transientsBefore + transients;
    }

    long transientsBefore(int index) {
        return transientsBefore
                + events.subList(0, index).stream().filter(LoggedEvent::isTransient).count();
    }

    /** Returns the index after the last event whose number is at most {@code seq}; 0 for none. */
    int indexAfter(long seq) {
        if (seqBefore >= seq) {
            return 0;
        }
        for (int i = events.size(); i > 0; i--) {
            var event = events.get(i - 1);
            if (!event.isTransient() && event.seq() <= seq) {
                return i;
            }
        }
        return 0;
    }

    /** Releases the events: a subscriber that is not reading may still refer to this segment. */
    void evict() {
        evicted = true;
        events.clear();
        next = null;
    }

    boolean isEvicted() {
        return evicted;
    }
}
