package dev.ash.server.device;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.SessionId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Tracks the last event of each session's log that each device has confirmed. Confirmations are
 * frequent, so they are written in batches after a short delay; a callback reports the write.
 */
public final class DeviceCursors implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("ash.device");
    private static final Duration BATCH_DELAY = Duration.ofMillis(20);
    private static final Duration RETRY_DELAY = Duration.ofSeconds(1);

    private final CursorStore store;
    private final Map<CursorKey, Long> unwritten = new ConcurrentHashMap<>();
    private final BlockingQueue<Runnable> callbacks = new LinkedBlockingQueue<>();
    private final Thread writer;

    /** Identifies the cursor of a device in a session. */
    record CursorKey(String device, SessionId session) {}

    public DeviceCursors(CursorStore store) {
        this.store = store;
        this.writer = Thread.ofVirtual().name("device-cursors").start(this::run);
    }

    /** Returns the number of the last event that the device has confirmed; 0 for none. */
    public long cursor(String device, SessionId session) {
        // In this order, because a write moves cursors from the map to the store.
        long pending = unwritten.getOrDefault(new CursorKey(device, session), 0L);
        return Math.max(pending, store.find(device, session));
    }

    /** Returns the cursors of a device, one for each session that it follows. */
    public Map<SessionId, Long> cursors(String device) {
        var cursors = new HashMap<SessionId, Long>();
        unwritten.forEach( // first, as in cursor()
                (key, seq) -> {
                    if (key.device().equals(device)) {
                        cursors.put(key.session(), seq);
                    }
                });
        store.findAll(device).forEach((session, seq) -> cursors.merge(session, seq, Math::max));
        return cursors;
    }

    /** Returns the devices that follow a session. */
    public Set<String> followers(SessionId session) {
        return new HashSet<>(store.followers(session));
    }

    /** Makes the device follow the session until it ends, also across restarts of the server. */
    public void follow(String device, SessionId session) {
        store.advance(Map.of(new CursorKey(device, session), 0L));
    }

    /**
     * Advances cursors of a device; a lower number than the current one is ignored. Returns
     * immediately, and calls {@code onWritten} after the cursors are written.
     */
    public void confirm(String device, Map<SessionId, Long> confirmed, Runnable onWritten) {
        confirmed.forEach(
                (session, seq) -> unwritten.merge(new CursorKey(device, session), seq, Math::max));
        callbacks.add(onWritten);
    }

    /** Deletes the cursor of an ended session whose log the device has confirmed completely. */
    public void unfollow(String device, SessionId session) {
        unwritten.remove(new CursorKey(device, session));
        store.delete(device, session);
    }

    private void run() {
        try {
            while (true) {
                var batch = new ArrayList<Runnable>();
                batch.add(callbacks.take());
                Thread.sleep(BATCH_DELAY);
                callbacks.drainTo(batch);
                while (!write()) {
                    Thread.sleep(RETRY_DELAY);
                }
                batch.forEach(DeviceCursors::runCallback);
            }
        } catch (InterruptedException e) {
            // The server is shutting down; close() writes the remaining cursors.
        }
    }

    /** Catches failures, so that one disconnected device does not prevent the other callbacks. */
    private static void runCallback(Runnable callback) {
        try {
            callback.run();
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, "Callback for written device cursors failed", e);
        }
    }

    private boolean write() {
        var snapshot = Map.copyOf(unwritten);
        if (snapshot.isEmpty()) {
            return true;
        }
        try {
            store.advance(snapshot);
            snapshot.forEach(unwritten::remove); // keeps cursors that have advanced meanwhile
            return true;
        } catch (ApiException e) {
            LOG.log(System.Logger.Level.WARNING, "Device cursors could not be written yet", e);
            return false;
        }
    }

    @Override
    public void close() {
        writer.interrupt();
        write();
    }
}
