package dev.ash.server.event;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The latest events of one session, in memory. Bounded in number and size: the oldest go first, and
 * a subscription that needed them reads the log instead, so a slow reader costs nobody anything. An
 * event that is larger than the whole tail is in the log only. Guarded by its lock, but for the
 * count of watchers, which the map of tails guards.
 */
final class Tail {
    private static final int MAX_EVENTS = 1024;
    private static final int MAX_BYTES = 512 * 1024;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition grown = lock.newCondition();
    private final ArrayDeque<LoggedEvent> events = new ArrayDeque<>();
    private long first;
    private int bytes;
    private int subscribers;
    private boolean closed;

    /** What {@link #read} found at a position. */
    sealed interface Read {
        record Events(List<LoggedEvent> events) implements Read {}

        /** Nothing new came in time. */
        record TimedOut() implements Read {}

        /** The position has left the tail. */
        record Evicted() implements Read {}

        /** The session was removed; nothing will come. */
        record Closed() implements Read {}
    }

    Tail addSubscriber() {
        subscribers++;
        return this;
    }

    /** Whether that was the last subscription. */
    boolean removeSubscriber() {
        return --subscribers == 0;
    }

    /** Watchers that wait are woken by {@link #wake}, once for all that was committed together. */
    void add(List<LoggedEvent> added) {
        lock.lock();
        try {
            for (var event : added) {
                events.addLast(event);
                bytes += event.data().length();
            }
            while (events.size() > MAX_EVENTS || bytes > MAX_BYTES) {
                bytes -= events.removeFirst().data().length();
                first++;
            }
        } finally {
            lock.unlock();
        }
    }

    void wake() {
        lock.lock();
        try {
            grown.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** The session was removed, and its log with it. */
    void close() {
        lock.lock();
        try {
            closed = true;
            grown.signalAll();
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

    /** The position that the next event will take. */
    long end() {
        lock.lock();
        try {
            return first + events.size();
        } finally {
            lock.unlock();
        }
    }

    /** The position behind the last event that is in the log; hints may follow there. */
    long endOfLogged() {
        lock.lock();
        try {
            long end = first + events.size();
            var backwards = events.descendingIterator();
            while (backwards.hasNext() && backwards.next().isTransient()) {
                end--;
            }
            return end;
        } finally {
            lock.unlock();
        }
    }

    /** Events from this position on, waiting for the first of them. */
    Read read(long position, Duration wait) throws InterruptedException {
        lock.lock();
        try {
            long nanos = wait.toNanos();
            while (position == first + events.size()) {
                if (closed) {
                    return new Read.Closed();
                }
                if (nanos <= 0) {
                    return new Read.TimedOut();
                }
                nanos = grown.awaitNanos(nanos);
            }
            if (position < first) {
                return new Read.Evicted();
            }
            return new Read.Events(last((int) (first + events.size() - position)));
        } finally {
            lock.unlock();
        }
    }

    /** From the end, because most watchers lack only a few of many. */
    private List<LoggedEvent> last(int count) {
        var found = new ArrayList<LoggedEvent>(count);
        var backwards = events.descendingIterator();
        while (found.size() < count) {
            found.add(backwards.next());
        }
        Collections.reverse(found);
        return found;
    }
}
