package dev.ash.pair.mcp;

import dev.ash.pair.mailbox.Mailbox;
import dev.ash.protocol.json.RawJson;
import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A call under way, which another thread may end. Its own thread is interrupted only while it waits
 * for a message, so that nothing else is ever broken off. {@code this} guards the state.
 */
final class PendingCall {
    private enum State {
        RUNNING,
        /** The client does not want an answer any more. */
        CANCELLED,
        /** The connection ends: the answer is what there is. */
        HURRIED
    }

    private final RawJson id;
    private State state = State.RUNNING;
    private @Nullable Thread waiter;

    /** The id of its request is what its client calls it. */
    PendingCall(RawJson id) {
        this.id = id;
    }

    RawJson id() {
        return id;
    }

    synchronized boolean isRunning() {
        return state == State.RUNNING;
    }

    synchronized boolean isCancelled() {
        return state == State.CANCELLED;
    }

    void cancel() {
        end(State.CANCELLED);
    }

    void hurry() {
        end(State.HURRIED);
    }

    private synchronized void end(State ended) {
        if (state == State.RUNNING) {
            state = ended;
            if (waiter != null) {
                waiter.interrupt();
            }
        }
    }

    /** Waits for a message after this one, until the time is over or the call is ended. */
    void await(Mailbox mailbox, long afterSeq, Duration timeout)
            throws IOException, InterruptedException {
        synchronized (this) {
            if (state != State.RUNNING) {
                return;
            }
            waiter = Thread.currentThread();
        }
        try {
            mailbox.await(afterSeq, timeout);
        } catch (InterruptedException e) {
            if (isRunning()) {
                throw e; // somebody else's wish, such as a server that shuts down
            }
        } finally {
            synchronized (this) {
                waiter = null;
                if (state != State.RUNNING) {
                    Thread.interrupted(); // ours, and spent
                }
            }
        }
    }
}
