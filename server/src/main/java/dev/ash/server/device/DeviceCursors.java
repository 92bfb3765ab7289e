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
 * How far each device has confirmed the log of each session; one device's word is its own. Many
 * devices confirm all the time, so confirmations are written together, a moment later, and who
 * confirmed is told when that is done.
 */
public final class DeviceCursors implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("ash.device");
    private static final Duration TOGETHER = Duration.ofMillis(20);
    private static final Duration AGAIN = Duration.ofSeconds(1);

    private final CursorStore store;
    private final Map<Place, Long> unwritten = new ConcurrentHashMap<>();
    private final BlockingQueue<Runnable> waiting = new LinkedBlockingQueue<>(); // to hear of it
    private final Thread writer;

    /** A device in a session. */
    record Place(String device, SessionId session) {}

    public DeviceCursors(CursorStore store) {
        this.store = store;
        this.writer = Thread.ofVirtual().name("device-cursors").start(this::run);
    }

    /** The last event that the device has confirmed; 0 for none. */
    public long of(String device, SessionId session) {
        long written = store.of(device, session);
        return Math.max(written, unwritten.getOrDefault(new Place(device, session), 0L));
    }

    /** The sessions that a device follows, and how far it has come in each. */
    public Map<SessionId, Long> all(String device) {
        var all = new HashMap<>(store.all(device));
        unwritten.forEach(
                (place, seq) -> {
                    if (place.device().equals(device)) {
                        all.merge(place.session(), seq, Math::max);
                    }
                });
        return all;
    }

    /** The devices that follow a session. */
    public Set<String> followers(SessionId session) {
        return new HashSet<>(store.followers(session));
    }

    /** From now on the device is told of the session, also after a restart. */
    public void follow(String device, SessionId session) {
        store.advance(Map.of(new Place(device, session), 0L));
    }

    /** Never backwards; returns at once, and {@code kept} runs once it is written. */
    public void confirm(String device, Map<SessionId, Long> seen, Runnable kept) {
        seen.forEach((session, seq) -> unwritten.merge(new Place(device, session), seq, Math::max));
        waiting.add(kept);
    }

    /** The device has seen all of a session that is over. */
    public void forget(String device, SessionId session) {
        unwritten.remove(new Place(device, session));
        store.forget(device, session);
    }

    private void run() {
        try {
            while (true) {
                var told = new ArrayList<Runnable>();
                told.add(waiting.take());
                Thread.sleep(TOGETHER);
                waiting.drainTo(told);
                while (!write()) {
                    Thread.sleep(AGAIN);
                }
                told.forEach(DeviceCursors::tell);
            }
        } catch (InterruptedException e) {
            // The server is shutting down, and closing writes what is left.
        }
    }

    /** A device that has gone must not keep others from being told. */
    private static void tell(Runnable kept) {
        try {
            kept.run();
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, "a device was not told", e);
        }
    }

    private boolean write() {
        var now = Map.copyOf(unwritten);
        if (now.isEmpty()) {
            return true;
        }
        try {
            store.advance(now);
            now.forEach(unwritten::remove); // unless it has moved on
            return true;
        } catch (ApiException e) {
            LOG.log(System.Logger.Level.WARNING, "what devices have seen is not kept yet", e);
            return false;
        }
    }

    @Override
    public void close() {
        writer.interrupt();
        write();
    }
}
