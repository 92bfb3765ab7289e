package dev.ash.bridge;

import dev.ash.protocol.bridge.BridgeEvent;
import dev.ash.protocol.bridge.BridgeEvent.Attached;
import dev.ash.protocol.bridge.BridgeProtocol;
import dev.ash.protocol.bridge.EventFrame;
import dev.ash.protocol.json.RawJson;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The queue of events to the server, numbered in the order of sending. Events are retained until
 * they are acknowledged by a server that attached, or until they are written to one that did not.
 * At 8 MiB senders block, and with them the engine (backpressure). The thread that reads commands
 * must therefore never send: it also reads the acknowledgements.
 *
 * <p>Once a server has attached, a new connection receives nothing before its first command, which
 * shows whether its server acknowledges events. The lock guards all fields.
 */
final class Outbox {
    private static final int MAX_RETAINED_BYTES = 8 * 1024 * 1024;
    private static final int BATCH_BYTES = 64 * 1024;
    private static final Duration CLOSE_TIMEOUT = Duration.ofMillis(500);

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition spaceAvailable = lock.newCondition();
    private final Condition changed = lock.newCondition();
    private final RetainedEvents events = new RetainedEvents();
    private @Nullable Connection connection;

    /** Whether events in flight are retained until they are acknowledged. */
    private boolean expectsAcks;

    private boolean everAttached;

    /** Whether the connection receives nothing until its first command. */
    private boolean awaitsFirstCommand;

    /** The response to {@code attach}, which is sent before all events and has no number. */
    private @Nullable RawJson attachResponse;

    /** The connection that is writing a batch; no other connection may take events meanwhile. */
    private @Nullable Connection writer;

    private boolean closed;

    /** Sends an event; blocks while the queue is full. Does nothing once closed. */
    void send(@Nullable String turnId, BridgeEvent event) {
        lock.lock();
        try {
            while (isFull() && !closed) {
                spaceAvailable.awaitUninterruptibly();
            }
            if (!closed) {
                events.add(
                        BridgeProtocol.encode(new EventFrame(events.nextNumber(), turnId, event)));
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    private boolean isFull() {
        long inFlight = expectsAcks ? events.inFlightBytes() : 0;
        return events.pendingBytes() + inFlight >= MAX_RETAINED_BYTES;
    }

    /** Sends all further events to this connection; closes the previous one. */
    void connect(Connection next) {
        lock.lock();
        try {
            if (connection != null) {
                connection.close();
            }
            connection = next;
            awaitsFirstCommand = everAttached;
            attachResponse = null;
            if (closed) {
                next.close();
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Returns false if another connection has replaced this one. */
    boolean disconnect(Connection closedConnection) {
        lock.lock();
        try {
            if (connection != closedConnection) {
                return false;
            }
            connection = null;
            changed.signalAll();
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Drops events up to {@code after}, and sends all later ones until they are acknowledged. */
    void attach(Connection server, long after, Attached state) {
        lock.lock();
        try {
            if (connection == server) {
                events.dropUpTo(after);
                events.rewind();
                expectsAcks = true;
                everAttached = true;
                attachResponse =
                        BridgeProtocol.encode(
                                EventFrame.of(state.withLast(events.nextNumber() - 1)));
                startDelivery();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Called for a command before {@code attach}: this server does not acknowledge events. */
    void startWithoutAttach(Connection server) {
        lock.lock();
        try {
            if (connection == server && awaitsFirstCommand) {
                if (expectsAcks) {
                    events.rewind(); // not acknowledged by the previous server
                }
                expectsAcks = false;
                startDelivery();
            }
        } finally {
            lock.unlock();
        }
    }

    private void startDelivery() {
        awaitsFirstCommand = false;
        spaceAvailable.signalAll();
        changed.signalAll();
    }

    void acknowledge(long number) {
        lock.lock();
        try {
            if (expectsAcks) {
                events.dropUpTo(number);
                spaceAvailable.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns the next lines for this connection; blocks until there are some, and returns an empty
     * list when the connection was replaced or the outbox is closed. The next call confirms that
     * the previous lines were written.
     */
    List<RawJson> take(Connection caller) {
        lock.lock();
        try {
            if (writer == caller) {
                writer = null;
                if (!expectsAcks) {
                    events.dropInFlight();
                }
                changed.signalAll();
            }
            while (connection == caller && !(closed && writer == null) && hasNothingToTake()) {
                changed.awaitUninterruptibly();
            }
            return connection == caller ? nextBatch(caller) : List.of();
        } finally {
            lock.unlock();
        }
    }

    private boolean hasNothingToTake() {
        return writer != null
                || (attachResponse == null && (awaitsFirstCommand || events.hasNoPending()));
    }

    private List<RawJson> nextBatch(Connection caller) {
        if (awaitsFirstCommand) {
            return List.of();
        }
        if (attachResponse != null) {
            var line = attachResponse;
            attachResponse = null;
            return List.of(line);
        }
        var batch = events.take(BATCH_BYTES);
        if (!batch.isEmpty()) {
            writer = caller;
            spaceAvailable.signalAll();
        }
        return batch;
    }

    /** Returns lines that this connection failed to write to the front of the queue. */
    void returnUnwritten(Connection caller) {
        lock.lock();
        try {
            if (writer == caller) {
                writer = null;
                events.rewind();
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Closes the connection after it has written the pending events, or after the timeout. */
    void closeConnection() {
        lock.lock();
        try {
            long remaining = CLOSE_TIMEOUT.toNanos();
            while (isWriting() && remaining > 0) {
                remaining = changed.awaitNanos(remaining);
            }
            if (connection != null) {
                connection.close();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
    }

    private boolean isWriting() {
        return connection != null
                && !awaitsFirstCommand
                && (writer != null || attachResponse != null || !events.hasNoPending());
    }

    /** Unblocks all senders and connections; pending events can still be taken. */
    void close() {
        lock.lock();
        try {
            closed = true;
            spaceAvailable.signalAll();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
