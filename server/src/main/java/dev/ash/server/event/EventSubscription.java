package dev.ash.server.event;

import dev.ash.protocol.SessionId;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.EnumSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A subscriber's position in the events of a session. Delivers each event exactly once, from the
 * log and then from the {@link Tail}: it determines the position in the tail first, then reads the
 * log to its end. An event that is committed before this read is in the log, one that is committed
 * later is in the tail, and one that is in both is recognized by its number. Transient events that
 * precede an event of the log are superseded by it. If that event is not in the tail yet, because
 * it is committed but not published, they are recognized by the {@link Publication}.
 *
 * <p>A subscriber that is too slow loses transient events. From then on it gets none until the next
 * logged message, which has the whole content, and {@link #takeSkipped} reports it. Not
 * thread-safe.
 */
public final class EventSubscription implements AutoCloseable {
    private static final int PAGE = 256;
    private static final long END_OF_LOG = Long.MAX_VALUE;

    /** These supersede the partial messages before them. */
    private static final Set<EventType> SUPERSEDING =
            EnumSet.of(EventType.MESSAGE, EventType.ERROR, EventType.DONE, EventType.PROMPT);

    private final SessionId session;
    private final Tail tail;
    private final Tail.Cursor cursor;
    private final EventStore store;
    private final Publication publication;
    private @Nullable LogReader log; // open while events are read from it
    private final Runnable onClose;
    private final ArrayDeque<LoggedEvent> ready = new ArrayDeque<>();
    private long lastSeq;
    private long logUntil = END_OF_LOG; // events up to this number are read from the log
    private boolean isLive; // it was at the end of the log
    private long supersededUntil; // transient events before this event are superseded
    private boolean isSkipping; // transient events up to the next logged message after the gap
    private long gapEnd; // number of the last event in the gap
    private OptionalLong skippedAfter = OptionalLong.empty();
    private boolean closed;

    /** Distinguishes committed events from published ones. */
    interface Publication {
        /** Whether the event with this number is committed but not yet published. */
        boolean isPending(long seq);
    }

    EventSubscription(
            SessionId session,
            long afterSeq,
            Tail tail,
            EventStore store,
            Publication publication,
            Runnable onClose) {
        this.session = session;
        this.lastSeq = afterSeq;
        this.tail = tail;
        this.store = store;
        this.publication = publication;
        this.onClose = onClose;
        this.cursor = tail.openCursor();
    }

    /** Starts at the end of the tail, and delivers all later transient events. */
    EventSubscription startLive() {
        logUntil = 0;
        isLive = true;
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

    /**
     * If transient events were skipped before the events that were read last, returns the number of
     * the last event before them, once.
     */
    public OptionalLong takeSkipped() {
        var taken = skippedAfter;
        skippedAfter = OptionalLong.empty();
        return taken;
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
        long deadline = System.nanoTime() + timeout.toNanos();
        while (ready.isEmpty()) {
            releaseBatch(); // the caller no longer uses the last batch
            if (lastSeq < logUntil) {
                if (tail.isClosed()) {
                    return false; // the log is being removed
                }
                readLog();
            } else if (!readTail(Duration.ofNanos(deadline - System.nanoTime()))) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether there may be further events now. */
    private boolean readTail(Duration timeout) throws InterruptedException {
        switch (tail.read(cursor, timeout)) {
            case Tail.Read.Events(var events) -> events.forEach(this::addIfNew);
            case Tail.Read.Oversized(var event) -> {
                if (event.isTransient()) {
                    skip(lastSeq);
                } else {
                    logUntil = event.seq();
                }
            }
            case Tail.Read.Evicted(var seq, var lostTransients) -> {
                if (lostTransients && isLive) {
                    skip(seq);
                }
                lastSeq = Math.max(lastSeq, tail.seqBeforeFirst()); // 0 if it started live
                logUntil = seq;
                continueInTail();
            }
            case Tail.Read.TimedOut(), Tail.Read.Closed() -> {
                return false;
            }
        }
        return true;
    }

    private void skip(long until) {
        isSkipping = true;
        gapEnd = until;
        if (skippedAfter.isEmpty()) {
            skippedAfter = OptionalLong.of(lastSeq);
        }
    }

    private void readLog() throws InterruptedException {
        if (log == null) {
            log = new LogReader(store, session);
        }
        int limit = (int) Math.min(PAGE, logUntil - lastSeq); // events are numbered without gaps
        var page = log.read(store.after(session, lastSeq, limit));
        page.rows().forEach(row -> addIfNew(row.event()));
        if (page.isComplete()) {
            logUntil = 0;
        }
        continueInTail();
    }

    /** Skips the events of the tail that were read from the log. */
    private void continueInTail() {
        if (lastSeq >= logUntil) {
            boolean isPending =
                    publication.isPending(lastSeq); // if so, it will be added to the tail
            var skipped = tail.skipTo(cursor, lastSeq);
            isLive |= skipped != Tail.Skipped.EVICTED;
            if (isPending && skipped == Tail.Skipped.NOT_ADDED) {
                supersededUntil = lastSeq;
            }
        }
    }

    private void addIfNew(LoggedEvent event) {
        if (event.isTransient()) {
            boolean isSuperseded = isSkipping || supersededUntil > 0;
            if (!isSuperseded || event.type() != EventType.MESSAGE) {
                ready.add(event);
            }
            return;
        }
        if (event.seq() >= supersededUntil) {
            supersededUntil = 0;
        }
        if (event.seq() > lastSeq) {
            lastSeq = event.seq();
            isSkipping &= event.seq() <= gapEnd || !SUPERSEDING.contains(event.type());
            ready.add(event);
        }
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            releaseBatch();
            tail.closeCursor(cursor);
            onClose.run();
        }
    }

    private void releaseBatch() {
        if (log != null) {
            log.close();
        }
    }
}
