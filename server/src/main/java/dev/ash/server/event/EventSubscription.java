package dev.ash.server.event;

import dev.ash.protocol.SessionId;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A subscriber's position in the events of a session. Delivers each event exactly once, from the
 * log and then from the {@link Tail}: it determines the position in the tail first, then reads the
 * log to its end. An event that is committed before this read is in the log, one that is committed
 * later is in the tail, and one that is in both is recognized by its number. Not thread-safe.
 */
public final class EventSubscription implements AutoCloseable {
    private static final int PAGE = 256;
    private static final long NO_POSITION = -1;

    private final SessionId session;
    private final Tail tail;
    private final EventStore store;
    private @Nullable LogReader log; // open while events are read from it
    private final Runnable onClose;
    private final ArrayDeque<LoggedEvent> ready = new ArrayDeque<>();
    private long lastSeq;
    private long position = NO_POSITION;
    private long nextPosition;
    private boolean closed;

    EventSubscription(
            SessionId session, long afterSeq, Tail tail, EventStore store, Runnable onClose) {
        this.session = session;
        this.lastSeq = afterSeq;
        this.tail = tail;
        this.store = store;
        this.onClose = onClose;
        this.nextPosition = tail.end();
    }

    /** Starts at the end of the tail, and delivers all later transient events. */
    EventSubscription startLive() {
        position = nextPosition;
        nextPosition = NO_POSITION;
        return this;
    }

    /** Skips events up to this number. Must be called before the first read. */
    public void skipTo(long seq) {
        lastSeq = Math.max(lastSeq, seq);
    }

    /** Returns the number of the last event that was read. */
    public long lastSeq() {
        return lastSeq;
    }

    /** Whether the session was removed: there will be no further events. */
    public boolean isClosed() {
        return ready.isEmpty() && tail.isClosed();
    }

    /** Returns the next event, or null after the timeout. */
    public @Nullable LoggedEvent next(Duration timeout) throws InterruptedException {
        return awaitReady(timeout) ? ready.removeFirst() : null;
    }

    /**
     * Returns the available events, and waits for the first of them; empty after the timeout. A
     * batch is small or has only one event. It is charged to the memory budget until the next call.
     */
    public List<LoggedEvent> nextBatch(Duration timeout) throws InterruptedException {
        if (!awaitReady(timeout)) {
            return List.of();
        }
        var batch = List.copyOf(ready);
        ready.clear();
        return batch;
    }

    private boolean awaitReady(Duration timeout) throws InterruptedException {
        while (ready.isEmpty()) {
            releaseBatch(); // the caller no longer uses the last batch
            if (position == NO_POSITION) {
                if (tail.isClosed()) {
                    return false; // the log is being removed
                }
                readLog();
            } else {
                switch (tail.read(position, timeout)) {
                    case Tail.Read.Events(var events) -> {
                        addNewEvents(events);
                    }
                    case Tail.Read.TimedOut() -> {
                        return false;
                    }
                    case Tail.Read.Closed() -> {
                        return false;
                    }
                    case Tail.Read.Evicted() -> {
                        // Keep the transient events at the end, which may report the end of a turn.
                        nextPosition = tail.endOfLogged();
                        position = NO_POSITION;
                    }
                }
            }
        }
        return true;
    }

    private void readLog() throws InterruptedException {
        if (nextPosition == NO_POSITION) {
            nextPosition = tail.end();
        }
        if (log == null) {
            log = new LogReader(store, session);
        }
        var page = log.read(store.after(session, lastSeq, PAGE));
        page.rows().forEach(row -> addIfNew(row.event()));
        if (page.isComplete()) {
            position = nextPosition;
            nextPosition = NO_POSITION;
        }
    }

    /**
     * Adds at most one batch of events. Skips those that were read from the log, and the transient
     * events before them, which are superseded.
     */
    private void addNewEvents(List<LoggedEvent> events) {
        int from = 0;
        for (int i = 0; i < events.size(); i++) {
            if (!events.get(i).isTransient() && events.get(i).seq() <= lastSeq) {
                from = i + 1;
            }
        }
        int to = from;
        for (long bytes = 0; to < events.size() && bytes < LogReader.BATCH_BYTES; to++) {
            bytes += events.get(to).data().length();
            addIfNew(events.get(to));
        }
        position += to;
    }

    private void addIfNew(LoggedEvent event) {
        if (event.isTransient()) {
            ready.add(event);
        } else if (event.seq() > lastSeq) {
            lastSeq = event.seq();
            ready.add(event);
        }
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            releaseBatch();
            onClose.run();
        }
    }

    private void releaseBatch() {
        if (log != null) {
            log.close();
        }
    }
}
