package dev.ash.pair.mcp;

import dev.ash.pair.mailbox.Mailbox;
import dev.ash.protocol.json.RawJson;
import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A tool call in progress, which another thread can end. Its thread is interrupted only while it
 * waits for a message, so that no other operation is aborted. {@code this} guards the state.
 */
final class PendingCall {
    private enum State {
        RUNNING,
        /** The client cancelled the call; there is no response. */
        CANCELLED,
        /** The connection is closing; the call responds without further waiting. */
        CLOSING
    }

    private final RawJson id;
    private State state = State.RUNNING;
    private @Nullable Thread waiter;

    /** {@code id} is the JSON-RPC id of the request. */
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

    void close() {
        end(State.CLOSING);
    }

    private synchronized void end(State ended) {
        if (state == State.RUNNING) {
            state = ended;
            if (waiter != null) {
                waiter.interrupt();
            }
        }
    }

    /** Waits for a message after a number, until the timeout or the end of the call. */
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
                throw e; // not caused by this class, such as a server shutdown
            }
        } finally {
            synchronized (this) {
                waiter = null;
                if (state != State.RUNNING) {
                    Thread.interrupted(); // clear the interrupt of end()
                }
            }
        }
    }
}
