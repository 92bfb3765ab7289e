package dev.ash.server.gateway;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.TurnId;
import dev.ash.server.event.EventSubscription;
import dev.ash.server.event.LoggedEvent;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Sends the live events of one session to all devices that follow it, and maps each event to frames
 * only once. After the last device has disconnected it continues until the end of the turn, so that
 * a reconnecting device gets the partial text of an unfinished message.
 */
final class Broadcast {
    private static final System.Logger LOG = System.getLogger("ash.gateway");
    private static final Duration POLL_TIMEOUT = Duration.ofMinutes(1);

    private final SessionId session;
    private final FrameMapper mapper;
    private final Clock clock;
    private final Predicate<Broadcast> tryRemove;
    private final Set<Listener> listeners = new LinkedHashSet<>(); // guarded by this
    private long lastSeq; // guarded by this
    private boolean ended; // guarded by this
    private boolean removed; // guarded by this

    /** Receives frames. Called on the thread of the broadcast, so it must not block. */
    interface Listener {
        void sent(Batch batch);

        /** Called when the session was removed, with its last frames. */
        void removed(List<Line> last);

        /** Called when no more frames follow; the device must reconnect. */
        void failed();
    }

    /** A frame, its serialized form, and the turn that it belongs to. */
    record Line(TargetedFrame frame, String text, @Nullable TurnId turn) {}

    /** The frames of a batch of events, up to {@code lastSeq}. */
    record Batch(SessionId session, List<Line> lines, long lastSeq) {}

    /** {@code tryRemove} removes the broadcast from its map, unless it is still needed. */
    Broadcast(
            SessionId session,
            EventSubscription subscription,
            FrameMapper mapper,
            Clock clock,
            Predicate<Broadcast> tryRemove) {
        this.session = session;
        this.mapper = mapper;
        this.clock = clock;
        this.tryRemove = tryRemove;
        this.lastSeq = subscription.lastSeq();
        Thread.ofVirtual().name("gateway-broadcast").start(() -> run(subscription));
    }

    private void run(EventSubscription subscription) {
        try (subscription) {
            do {
                var events = subscription.nextBatch(POLL_TIMEOUT);
                if (!events.isEmpty()) {
                    send(events);
                }
                if (subscription.isClosed()) {
                    sendRemoved();
                }
            } while (!tryRemove.test(this) && !subscription.isClosed());
        } catch (InterruptedException e) {
            // This thread is never interrupted.
        } catch (RuntimeException | Error e) { // end() notifies the devices
            LOG.log(System.Logger.Level.ERROR, "Broadcast of session " + session + " failed", e);
        } finally {
            end();
        }
    }

    private synchronized void sendRemoved() {
        removed = true;
        ended = true;
        var last = lines(mapper.removed(), null);
        listeners.forEach(listener -> listener.removed(last));
        listeners.clear();
        notifyAll();
    }

    private synchronized void end() {
        ended = true;
        listeners.forEach(Listener::failed);
        notifyAll();
    }

    /** Returns whether the session was removed. */
    synchronized boolean isRemoved() {
        return removed;
    }

    synchronized boolean isEnded() {
        return ended;
    }

    private synchronized void send(List<LoggedEvent> events) {
        var lines = new ArrayList<Line>();
        for (var event : events) {
            lines.addAll(lines(mapper.map(event), event.turn()));
            lastSeq = Math.max(lastSeq, event.seq());
        }
        var batch = new Batch(session, List.copyOf(lines), lastSeq);
        listeners.forEach(listener -> listener.sent(batch));
        notifyAll();
    }

    private List<Line> lines(List<TargetedFrame> frames, @Nullable TurnId turn) {
        var now = clock.instant().toString();
        return frames.stream()
                .map(frame -> new Line(frame, frame.frame().toJson(now), turn))
                .toList();
    }

    synchronized boolean hasListeners() {
        return !listeners.isEmpty();
    }

    /**
     * Waits until events up to {@code seq} were sent or it has ended; returns the last one sent.
     */
    synchronized long awaitSeq(long seq) throws InterruptedException {
        while (lastSeq < seq && !ended) {
            wait();
        }
        return lastSeq;
    }

    /** Sends the frames that a joining listener has missed, while no event is broadcast. */
    interface CatchUp {
        void send(List<TargetedFrame> missing);
    }

    /**
     * Adds a listener that has received the log up to {@code seq}, mapped by {@code replayMapper}.
     * Returns false if later events were broadcast; replay these and join again.
     */
    synchronized boolean join(
            Listener listener, FrameMapper replayMapper, long seq, CatchUp catchUp) {
        if (removed) {
            listener.removed(lines(replayMapper.removed(), null));
            return true;
        }
        if (ended) {
            listener.failed();
            return true;
        }
        if (seq < lastSeq) {
            return false;
        }
        catchUp.send(replayMapper.catchUpWith(mapper));
        listeners.add(listener);
        return true;
    }

    synchronized void leave(Listener listener) {
        listeners.remove(listener);
    }
}
