package dev.ash.server.session.live;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The {@code resume} that was sent to a bridge of the plain protocol. That protocol does not define
 * an answer: such a bridge sends {@code done}, {@code error}, both, or nothing. Only the first
 * {@code query} waits for the answer, and not for long. An answer that arrives later precedes all
 * messages of the query, since a bridge executes its commands in order: until the first message, a
 * {@code done} answers the resume and ends no turn. An {@code error} then may belong to either; it
 * is held back, and ends the turn if no message follows. Guarded by itself.
 */
final class PlainResume {
    private static final Duration LIMIT = Duration.ofSeconds(1);
    private static final Duration SILENCE = Duration.ofSeconds(10);

    /** Whether the answer is expected before the query, or may follow it. */
    private enum State {
        NONE,
        SENT,
        SENT_AND_FAILED,
        LATE,
        LATE_AND_FAILED
    }

    private final Duration limit;
    private final Duration silence;
    private final Consumer<String> endTurn;
    private State state = State.NONE;
    private boolean held;

    /** {@code endTurn} ends the open turn with an error that was held back. */
    PlainResume(Consumer<String> endTurn) {
        this(LIMIT, SILENCE, endTurn);
    }

    PlainResume(Duration limit, Duration silence, Consumer<String> endTurn) {
        this.limit = limit;
        this.silence = silence;
        this.endTurn = endTurn;
    }

    synchronized void sent() {
        state = State.SENT;
    }

    synchronized void sawMessage() {
        if (state == State.LATE || state == State.LATE_AND_FAILED) {
            state = State.NONE;
        }
        held = false;
    }

    /** Returns whether the {@code error} is not, or not yet, that of a turn. */
    synchronized boolean failed(String error) {
        return switch (state) {
            case SENT, SENT_AND_FAILED -> {
                state = State.SENT_AND_FAILED;
                notifyAll();
                yield true;
            }
            case LATE -> {
                state = State.LATE_AND_FAILED;
                holdBack(error);
                yield true;
            }
            case LATE_AND_FAILED, NONE -> {
                state = State.NONE;
                held = false;
                yield false;
            }
        };
    }

    /** Returns whether the {@code done} ends no turn. */
    synchronized boolean done() {
        boolean expected = state != State.NONE;
        state = State.NONE;
        notifyAll();
        return expected;
    }

    /** Releases a waiting query: the bridge is gone. */
    synchronized void abandon() {
        done();
        held = false;
    }

    /** Waits for the answer before a query is sent. */
    synchronized void awaitBeforeQuery() {
        long deadline = System.nanoTime() + limit.toNanos();
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

    private void holdBack(String error) {
        held = true;
        Thread.ofVirtual().name("late-resume-error").start(() -> endAfterSilence(error));
    }

    private void endAfterSilence(String error) {
        try {
            Thread.sleep(silence);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        synchronized (this) {
            if (!held) {
                return;
            }
            held = false;
        }
        endTurn.accept(error);
    }
}
