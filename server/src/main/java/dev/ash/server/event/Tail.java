package dev.ash.server.event;

import dev.ash.server.memory.ByteBudget;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The latest events of one session, in memory, shared by its subscribers. Each has a {@link Cursor}
 * in it. The tail keeps the events that a subscriber has not read yet, up to a number of bytes, so
 * the limit depends on the pace of the reader and not on the events of other sessions. A subscriber
 * whose events were evicted reads the log instead, which has no transient events.
 *
 * <p>{@link #FREE_BYTES} are available to every tail. More are charged to the budget of the tenant,
 * and only for transient events, since the others are in the log. An oversized event is never kept:
 * subscribers read it from the log, which charges it separately. Guarded by its lock, except for
 * the number of subscribers, which the map of tails guards.
 */
final class Tail {
    static final int FREE_BYTES = 512 * 1024;
    static final int MAX_BYTES = 8 * 1024 * 1024;
    static final int MAX_EVENT_BYTES = 256 * 1024;

    private final String tenant;
    private final ByteBudget budget;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final ArrayDeque<TailSegment> segments = new ArrayDeque<>(); // never empty
    private final ArrayDeque<ByteBudget.Lease> leases = new ArrayDeque<>(); // FREE_BYTES each
    private long bytes;
    private long firstSeq; // of the first logged event that was added; 0 for none
    private long lastSeq; // of the last one
    private int subscribers;
    private boolean closed;
    private boolean abandoned;

    Tail(String tenant, ByteBudget budget) {
        this.tenant = tenant;
        this.budget = budget;
        segments.add(new TailSegment(0, 0));
    }

    /** A subscriber's position: the index of the next event in a segment. Guarded by the lock. */
    static final class Cursor {
        private TailSegment segment;
        private int index;
        private long transients; // number of transient events before it

        private Cursor(TailSegment segment) {
            this.segment = segment;
            moveToEndOfSegment();
            segment.cursors++;
        }

        private void moveToEndOfSegment() {
            index = segment.size();
            transients = segment.transientsAtEnd();
        }
    }

    /** The result of {@link #read}. */
    sealed interface Read {
        record Events(List<LoggedEvent> events) implements Read {}

        /** The next event, without its data. */
        record Oversized(LoggedEvent event) implements Read {}

        /** No event was added within the timeout. */
        record TimedOut() implements Read {}

        /**
         * Events at this position are no longer in the tail. The log has those up to number {@code
         * seq}, the tail the later ones.
         */
        record Evicted(long seq, boolean lostTransients) implements Read {}

        /** The session was removed; there will be no further events. */
        record Closed() implements Read {}
    }

    Tail addSubscriber() {
        subscribers++;
        return this;
    }

    /** Returns whether it was the last subscriber. */
    boolean removeSubscriber() {
        if (--subscribers > 0) {
            return false;
        }
        lock.lock();
        try {
            abandoned = true; // a concurrent add must not charge the budget again
            leases.forEach(ByteBudget.Lease::close);
            leases.clear();
        } finally {
            lock.unlock();
        }
        return true;
    }

    /** Returns a cursor for the events that are added from now on. */
    Cursor openCursor() {
        lock.lock();
        try {
            return new Cursor(segments.getLast());
        } finally {
            lock.unlock();
        }
    }

    void closeCursor(Cursor cursor) {
        lock.lock();
        try {
            countedAt(cursor).cursors--;
            removeRead();
        } finally {
            lock.unlock();
        }
    }

    private void move(Cursor cursor, TailSegment to, int index) {
        countedAt(cursor).cursors--;
        to.cursors++;
        cursor.segment = to;
        cursor.index = index;
        cursor.transients = to.transientsBefore(index);
    }

    /** Returns the segment that counts this cursor. */
    private TailSegment countedAt(Cursor cursor) {
        return cursor.segment.isEvicted() ? segments.getFirst() : cursor.segment;
    }

    /** Adds events. {@link #wake} notifies waiting subscribers once for all events of a commit. */
    void add(List<LoggedEvent> added) {
        lock.lock();
        try {
            if (abandoned) {
                return;
            }
            added.forEach(this::append);
            removeRead();
            evict();
        } finally {
            lock.unlock();
        }
    }

    private void append(LoggedEvent event) {
        var last = segments.getLast();
        boolean isOversized = event.data().length() > MAX_EVENT_BYTES;
        if (last.isFull() || (isOversized && last.size() > 0)) {
            var next = last.newNext();
            segments.addLast(next);
            last = next;
        }
        bytes += isOversized ? last.addOversized(event) : last.add(event);
        if (firstSeq == 0) {
            firstSeq = event.seq();
        }
        lastSeq = Math.max(lastSeq, event.seq());
    }

    /** Removes the segments that all subscribers have read. */
    private void removeRead() {
        while (segments.size() > 1 && segments.getFirst().cursors == 0) {
            removeFirst();
        }
        while (!leases.isEmpty() && bytes <= limit() - FREE_BYTES) {
            leases.removeLast().close();
        }
    }

    /**
     * The readers of an evicted segment continue with the next one, which therefore counts them.
     */
    private void removeFirst() {
        var first = segments.removeFirst();
        segments.getFirst().cursors += first.cursors;
        bytes -= first.bytes();
        first.evict();
    }

    /** Enforces the limit, which is raised for transient events if the budget permits. */
    private void evict() {
        while (bytes > limit() && segments.size() > 1) {
            if (!segments.getFirst().hasTransients() || !tryRaiseLimit()) {
                removeFirst();
            }
        }
    }

    private long limit() {
        return FREE_BYTES + (long) leases.size() * FREE_BYTES;
    }

    private boolean tryRaiseLimit() {
        if (limit() + FREE_BYTES > MAX_BYTES) {
            return false;
        }
        var lease = budget.tryAcquire(tenant, FREE_BYTES);
        lease.ifPresent(leases::addLast);
        return lease.isPresent();
    }

    void wake() {
        lock.lock();
        try {
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Closes all subscriptions: the session and its log were removed. */
    void close() {
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    boolean isClosed() {
        lock.lock();
        try {
            return closed;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the number of the event before the first one of the tail; 0 if it had none yet. */
    long seqBeforeFirst() {
        lock.lock();
        try {
            return Math.max(0, firstSeq - 1);
        } finally {
            lock.unlock();
        }
    }

    /** Returns the bytes of the events that are kept. */
    long bytes() {
        lock.lock();
        try {
            return bytes;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Moves the cursor after the events up to {@code seq}, which were read from the log, and the
     * transient events before them, which are superseded.
     */
    Skipped skipTo(Cursor cursor, long seq) {
        lock.lock();
        try {
            if (cursor.segment.isEvicted()) {
                return Skipped.EVICTED;
            }
            for (var next = cursor.segment; next != null; next = next.next()) {
                int index = next.indexAfter(seq);
                if (index > (next == cursor.segment ? cursor.index : 0)) {
                    move(cursor, next, index);
                }
            }
            removeRead();
            return lastSeq < seq ? Skipped.NOT_ADDED : Skipped.ALL;
        } finally {
            lock.unlock();
        }
    }

    /** The result of {@link #skipTo}. */
    enum Skipped {
        ALL,

        /**
         * The last event was not added yet, or it was published before the tail existed. In the
         * first case, transient events before it may follow.
         */
        NOT_ADDED,

        /** The events at the cursor were evicted; the next read returns this too. */
        EVICTED
    }

    /** Returns a batch of events from the cursor on, and moves it; waits for the first of them. */
    Read read(Cursor cursor, Duration timeout) throws InterruptedException {
        lock.lock();
        try {
            long nanos = timeout.toNanos();
            while (true) {
                if (cursor.segment.isEvicted()) {
                    return moveToFirst(cursor);
                }
                var next = cursor.segment.next();
                if (cursor.index == cursor.segment.size() && next != null) {
                    move(cursor, next, 0);
                    removeRead();
                }
                if (cursor.index < cursor.segment.size()) {
                    var events = cursor.segment.from(cursor.index);
                    boolean isOversized = cursor.segment.isOversized();
                    cursor.moveToEndOfSegment();
                    return isOversized
                            ? new Read.Oversized(events.getFirst())
                            : new Read.Events(events);
                }
                if (closed) {
                    return new Read.Closed();
                }
                if (nanos <= 0) {
                    return new Read.TimedOut();
                }
                nanos = changed.awaitNanos(nanos);
            }
        } finally {
            lock.unlock();
        }
    }

    private Read moveToFirst(Cursor cursor) {
        var first = segments.getFirst();
        long read = cursor.transients;
        move(cursor, first, 0);
        return new Read.Evicted(first.seqBefore(), cursor.transients > read);
    }
}
