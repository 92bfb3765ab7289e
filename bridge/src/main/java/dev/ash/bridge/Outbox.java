package dev.ash.bridge;

import dev.ash.protocol.bridge.BridgeEvent;
import dev.ash.protocol.bridge.BridgeEvent.Attached;
import dev.ash.protocol.bridge.BridgeProtocol;
import dev.ash.protocol.bridge.EventFrame;
import dev.ash.protocol.json.RawJson;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Every event on its way to the server, numbered in the order of sending. For a server that
 * attached, events are kept until it acknowledges them; for one that never does, until they are
 * written. Up to 8 MiB are kept; then senders wait, and with them the engine. So the thread that
 * reads commands, and with them acknowledgements, must never send.
 *
 * <p>Once a server has attached, a new connection gets nothing before its first command, which
 * tells what kind of server it is. The lock guards all of it.
 */
final class Outbox {
    private static final int MAX_KEPT_BYTES = 8 * 1024 * 1024;
    private static final int BATCH_BYTES = 64 * 1024;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition room = lock.newCondition();
    private final Condition news = lock.newCondition();
    private final KeptEvents events = new KeptEvents();
    private @Nullable Connection connection;

    /** Whether what is taken is kept for acknowledgements. */
    private boolean acknowledged;

    private boolean everAttached;

    /** The connection has said nothing yet that tells which kind of server it is. */
    private boolean heldBack;

    /** The answer to {@code attach}, which goes before all events and has no number. */
    private @Nullable RawJson answer;

    /** Has taken events and not written them all: nobody may overtake it. */
    private @Nullable Connection writer;

    private boolean closed;

    /** Blocks while too much is kept; after the end it does nothing. */
    void send(@Nullable String turnId, BridgeEvent event) {
        lock.lock();
        try {
            while (full() && !closed) {
                room.awaitUninterruptibly();
            }
            if (!closed) {
                events.add(
                        BridgeProtocol.encode(new EventFrame(events.nextNumber(), turnId, event)));
                news.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    private boolean full() {
        long taken = acknowledged ? events.takenBytes() : 0;
        return events.waitingBytes() + taken >= MAX_KEPT_BYTES;
    }

    /** From now on events go here, and no longer to an earlier connection, which is closed. */
    void connect(Connection next) {
        lock.lock();
        try {
            if (connection != null) {
                connection.close();
            }
            connection = next;
            heldBack = everAttached;
            answer = null;
            if (closed) {
                next.close();
            }
            news.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** False if another connection has taken over meanwhile. */
    boolean disconnect(Connection former) {
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

    /** This server has everything up to {@code after}, gets all the rest, and will acknowledge. */
    void attach(Connection server, long after, Attached state) {
        lock.lock();
        try {
            if (connection == server) {
                events.dropUpTo(after);
                events.rewind();
                acknowledged = true;
                everAttached = true;
                answer = BridgeProtocol.encode(EventFrame.of(state));
                release();
            }
        } finally {
            lock.unlock();
        }
    }

    /** This server spoke without attaching first; it is one that never acknowledges. */
    void unattached(Connection server) {
        lock.lock();
        try {
            if (connection == server && heldBack) {
                if (acknowledged) {
                    events.rewind(); // nobody said that these were stored
                }
                acknowledged = false;
                release();
            }
        } finally {
            lock.unlock();
        }
    }

    private void release() {
        heldBack = false;
        room.signalAll();
        news.signalAll();
    }

    void acknowledge(long number) {
        lock.lock();
        try {
            if (acknowledged) {
                events.dropUpTo(number);
                room.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * The next lines for this connection; blocks until there are some, empty once it is over.
     * Asking again says that the ones before were written.
     */
    List<RawJson> take(Connection taker) {
        lock.lock();
        try {
            if (writer == taker) {
                writer = null;
                if (!acknowledged) {
                    events.dropTaken();
                }
                news.signalAll();
            }
            while (connection == taker && !(closed && writer == null) && nothingToTake()) {
                news.awaitUninterruptibly();
            }
            return connection == taker ? next(taker) : List.of();
        } finally {
            lock.unlock();
        }
    }

    private boolean nothingToTake() {
        return writer != null || (answer == null && (heldBack || events.nothingWaits()));
    }

    private List<RawJson> next(Connection taker) {
        if (heldBack) {
            return List.of();
        }
        if (answer != null) {
            var line = answer;
            answer = null;
            return List.of(line);
        }
        var batch = events.take(BATCH_BYTES);
        if (!batch.isEmpty()) {
            writer = taker;
            room.signalAll();
        }
        return batch;
    }

    /** What this connection could not write goes to the next one, before all others. */
    void giveBack(Connection taker) {
        lock.lock();
        try {
            if (writer == taker) {
                writer = null;
                events.rewind();
                news.signalAll();
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
