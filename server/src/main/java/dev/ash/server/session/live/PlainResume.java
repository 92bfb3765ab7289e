package dev.ash.server.session.live;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Tracks the {@code resume} that was sent to a bridge of the plain protocol. That protocol does not
 * define a reply: such a bridge sends {@code done}, {@code error}, both, or nothing. Only the first
 * {@code query} waits for the reply, for a short time. A later reply precedes all messages of the
 * query, since a bridge executes its commands in order: until the first message, a {@code done}
 * replies to the resume and ends no turn. An {@code error} then may belong to either; it is
 * deferred, and ends the turn if no message follows. Guarded by its own lock.
 */
final class PlainResume {
    private static final Duration MAX_QUERY_DELAY = Duration.ofSeconds(1);
    private static final Duration ERROR_DELAY = Duration.ofSeconds(10);

    /** Whether the reply is expected before the query, or may follow it. */
    private enum State {
        NONE,
        SENT,
        SENT_AND_FAILED,
        LATE,
        LATE_AND_FAILED
    }

    private final Duration queryDelay;
    private final Duration errorDelay;
    private final Consumer<String> endTurn;
    private State state = State.NONE;
    private boolean hasDeferredError;

    /** {@code endTurn} ends the open turn with a deferred error. */
    PlainResume(Consumer<String> endTurn) {
        this(MAX_QUERY_DELAY, ERROR_DELAY, endTurn);
    }

    PlainResume(Duration queryDelay, Duration errorDelay, Consumer<String> endTurn) {
        this.queryDelay = queryDelay;
        this.errorDelay = errorDelay;
        this.endTurn = endTurn;
    }

    synchronized void onSent() {
        state = State.SENT;
    }

    synchronized void onMessage() {
        if (state == State.LATE || state == State.LATE_AND_FAILED) {
            state = State.NONE;
        }
        hasDeferredError = false;
    }

    /** Returns whether the {@code error} does not, or not yet, end a turn. */
    synchronized boolean onError(String error) {
        return switch (state) {
            case SENT, SENT_AND_FAILED -> {
                state = State.SENT_AND_FAILED;
                notifyAll();
                yield true;
            }
            case LATE -> {
                state = State.LATE_AND_FAILED;
                deferError(error);
                yield true;
            }
            case LATE_AND_FAILED, NONE -> {
                state = State.NONE;
                hasDeferredError = false;
                yield false;
            }
        };
    }

    /** Returns whether the {@code done} ends no turn. */
    synchronized boolean onDone() {
        boolean expected = state != State.NONE;
        state = State.NONE;
        notifyAll();
        return expected;
    }

    /** Releases a waiting query: the bridge has exited. */
    synchronized void abandon() {
        onDone();
        hasDeferredError = false;
    }

    /** Waits for the reply before a query is sent. */
    synchronized void awaitBeforeQuery() {
        long deadline = System.nanoTime() + queryDelay.toNanos();
        try {
            while (state == State.SENT && System.nanoTime() < deadline) {
                TimeUnit.NANOSECONDS.timedWait(this, deadline - System.nanoTime());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (state == State.SENT) {
            state = State.LATE;
        } else if (state == State.SENT_AND_FAILED) {
            state = State.LATE_AND_FAILED;
        }
    }

    private void deferError(String error) {
        hasDeferredError = true;
        Thread.ofVirtual().name("late-resume-error").start(() -> endAfterSilence(error));
    }

    private void endAfterSilence(String error) {
        try {
            Thread.sleep(errorDelay);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        synchronized (this) {
            if (!hasDeferredError) {
                return;
            }
            hasDeferredError = false;
        }
        endTurn.accept(error);
    }
}
