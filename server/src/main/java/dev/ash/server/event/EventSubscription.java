package dev.ash.server.event;

import dev.ash.protocol.SessionId;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One reader's place in a session's events. Between log and tail nothing is missed and nothing
 * comes twice: the place in the tail is taken first, then the log is read to its end; an event
 * committed before that read is in the read, one committed after it is in the tail, and one in both
 * is known by its number. For one thread.
 */
public final class EventSubscription implements AutoCloseable {
    private static final int PAGE = 256;
    private static final long NO_POSITION = -1;

    private final SessionId session;
    private final Tail tail;
    private final EventStore store;
    private @Nullable LogReader log; // while there are events to read there
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

    /** Begins at the tail as it is now, and misses no hint from here on. */
    EventSubscription startLive() {
        position = nextPosition;
        nextPosition = NO_POSITION;
        return this;
    }

    /** Events up to this number are of no interest; said before the first is asked for. */
    public void skipTo(long seq) {
        lastSeq = Math.max(lastSeq, seq);
    }

    /** The number of the last event that is at hand or was taken. */
    public long lastSeq() {
        return lastSeq;
    }

    /** Whether the session was removed: nothing comes any more. */
    public boolean isClosed() {
        return ready.isEmpty() && tail.isClosed();
    }

    /** The next event, or null if none came in this time. */
    public @Nullable LoggedEvent next(Duration wait) throws InterruptedException {
        return awaitReady(wait) ? ready.removeFirst() : null;
    }

    /**
     * Events that are at hand, waiting for the first of them; empty if none came in this time. They
     * have few bytes, or it is one that has many; they count as held in memory until the next call.
     */
    public List<LoggedEvent> nextBatch(Duration wait) throws InterruptedException {
        if (!awaitReady(wait)) {
            return List.of();
        }
        var batch = List.copyOf(ready);
        ready.clear();
        return batch;
    }

    private boolean awaitReady(Duration wait) throws InterruptedException {
        while (ready.isEmpty()) {
            releaseBatch(); // the caller no longer uses the last one
            if (position == NO_POSITION) {
                if (tail.isClosed()) {
                    return false; // what is left of the log is being removed
                }
                readLog();
            } else {
                switch (tail.read(position, wait)) {
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
                        // No log has the hints at the end, which may tell that a turn is over.
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
     * As many as make a batch, without what came by the log, nor the hints that stood before it:
     * those are overtaken.
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
