package dev.ash.bridge;

import dev.ash.protocol.bridge.BridgeEvent;
import dev.ash.protocol.bridge.BridgeProtocol;
import dev.ash.protocol.bridge.EventFrame;
import dev.ash.protocol.json.RawJson;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Every event on its way to the server: numbered in the order of sending, kept until the one
 * connection takes it. Up to 8 MiB wait; then senders wait, and with them the engine. The lock
 * guards all of it.
 */
final class Outbox {
    private static final int MAX_WAITING_BYTES = 8 * 1024 * 1024;
    private static final int BATCH_BYTES = 64 * 1024;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition room = lock.newCondition();
    private final Condition news = lock.newCondition();
    private final ArrayDeque<RawJson> waiting = new ArrayDeque<>();
    private long waitingBytes;
    private long lastNumber;
    private @Nullable Connection connection;

    /** Taken by {@code writer}, and not known to be written: nobody may overtake it. */
    private final List<RawJson> batch = new ArrayList<>();

    private @Nullable Connection writer;
    private boolean closed;

    /** Blocks while too much is waiting; after the end it does nothing. */
    void send(@Nullable String turnId, BridgeEvent event) {
        lock.lock();
        try {
            while (waitingBytes >= MAX_WAITING_BYTES && !closed) {
                room.awaitUninterruptibly();
            }
            if (!closed) {
                add(BridgeProtocol.encode(new EventFrame(++lastNumber, turnId, event)));
            }
        } finally {
            lock.unlock();
        }
    }

    private void add(RawJson line) {
        waiting.addLast(line);
        waitingBytes += line.length();
        news.signalAll();
    }

    /** From now on events go here, and no longer to an earlier connection, which is closed. */
    void attach(Connection next) {
        lock.lock();
        try {
            if (connection != null) {
                connection.close();
            }
            connection = next;
            if (closed) {
                next.close();
            }
            news.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** False if another connection has taken over meanwhile. */
    boolean detach(Connection former) {
        lock.lock();
        try {
            if (connection != former) {
                return false;
            }
            connection = null;
            news.signalAll();
            return true;
        } finally {
            lock.unlock();
        }
    }

    /**
     * The next events for this connection; blocks until there are some, empty once it is over.
     * Asking again says that the ones before were written.
     */
    List<RawJson> take(Connection taker) {
        lock.lock();
        try {
            if (writer == taker) {
                written();
            }
            while (connection == taker && (writer != null || (waiting.isEmpty() && !closed))) {
                news.awaitUninterruptibly();
            }
            return connection == taker ? nextBatch(taker) : List.of();
        } finally {
            lock.unlock();
        }
    }

    private List<RawJson> nextBatch(Connection taker) {
        int bytes = 0;
        while (!waiting.isEmpty() && bytes < BATCH_BYTES) {
            var line = waiting.removeFirst();
            bytes += line.length();
            batch.add(line);
        }
        if (!batch.isEmpty()) {
            writer = taker;
            waitingBytes -= bytes;
            room.signalAll();
        }
        return List.copyOf(batch);
    }

    private void written() {
        writer = null;
        batch.clear();
        news.signalAll();
    }

    /** Events that this connection could not write go to the next one, before all others. */
    void giveBack(Connection taker) {
        lock.lock();
        try {
            if (writer == taker) {
                for (var line : batch.reversed()) {
                    waiting.addFirst(line);
                    waitingBytes += line.length();
                }
                written();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Lets go of everybody who waits; what is not taken yet can still be taken. */
    void close() {
        lock.lock();
        try {
            closed = true;
            room.signalAll();
            news.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
