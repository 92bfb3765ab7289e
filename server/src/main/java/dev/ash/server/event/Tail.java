package dev.ash.server.event;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The latest events of one session, in memory. Bounded in number and size: the oldest are evicted,
 * and a subscriber that needs them reads the log instead, so a slow reader does not affect others.
 * An event that is larger than the tail is only in the log. Guarded by its lock, except for the
 * number of subscribers, which the map of tails guards.
 */
final class Tail {
    private static final int MAX_EVENTS = 1024;
    private static final int MAX_BYTES = 512 * 1024;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final ArrayDeque<LoggedEvent> events = new ArrayDeque<>();
    private long first;
    private int bytes;
    private int subscribers;
    private boolean closed;

    /** The result of {@link #read}. */
    sealed interface Read {
        record Events(List<LoggedEvent> events) implements Read {}

        /** No event was added within the timeout. */
        record TimedOut() implements Read {}

        /** The event at this position is no longer in the tail. */
        record Evicted() implements Read {}

        /** The session was removed; there will be no further events. */
        record Closed() implements Read {}
    }

    Tail addSubscriber() {
        subscribers++;
        return this;
    }

    /** Returns whether it was the last subscriber. */
    boolean removeSubscriber() {
        return --subscribers == 0;
    }

    /** Adds events. {@link #wake} notifies waiting subscribers once for all events of a commit. */
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

    /** Returns the position of the next event to be added. */
    long end() {
        lock.lock();
        try {
            return first + events.size();
        } finally {
            lock.unlock();
        }
    }

    /** Returns the position after the last logged event; transient events may follow it. */
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

    /** Returns the events from this position on; waits for the first of them. */
    Read read(long position, Duration timeout) throws InterruptedException {
        lock.lock();
        try {
            long nanos = timeout.toNanos();
            while (position == first + events.size()) {
                if (closed) {
                    return new Read.Closed();
                }
                if (nanos <= 0) {
                    return new Read.TimedOut();
                }
                nanos = changed.awaitNanos(nanos);
            }
            if (position < first) {
                return new Read.Evicted();
            }
            return new Read.Events(last((int) (first + events.size() - position)));
        } finally {
            lock.unlock();
        }
    }

    /** Iterates from the end, because most subscribers lack only a few events. */
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
