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
 * Sends the live events of one session to all devices that follow it; each event is mapped to
 * frames once for all of them. Continues until the end of the turn when the last device
 * disconnects, so that one that reconnects gets the partial text of an unfinished message.
 */
final class Broadcast {
    private static final System.Logger LOG = System.getLogger("ash.gateway");
    private static final Duration LOOK_UP = Duration.ofMinutes(1);

    private final SessionId session;
    private final FrameMapper mapper;
    private final Clock clock;
    private final Predicate<Broadcast> mayEnd;
    private final Set<Listener> listeners = new LinkedHashSet<>(); // guarded by this
    private long lastSeq; // guarded by this
    private boolean over; // guarded by this
    private boolean removed; // guarded by this

    /** Called on the thread of the broadcast, so it must not block. */
    interface Listener {
        void sent(Batch batch);

        /** The session was removed, after these last frames. */
        void removed(List<Line> last);

        /** No more frames follow; the device must connect again. */
        void failed();
    }

    /** A frame, its text, and the turn that it is about. */
    record Line(TargetedFrame frame, String text, @Nullable TurnId turn) {}

    /** Frames that came together, up to this event of the log. */
    record Batch(SessionId session, List<Line> lines, long lastSeq) {}

    /** {@code mayEnd} removes it from where others find it, if nobody has come meanwhile. */
    Broadcast(
            SessionId session,
            EventSubscription subscription,
            FrameMapper mapper,
            Clock clock,
            Predicate<Broadcast> mayEnd) {
        this.session = session;
        this.mapper = mapper;
        this.clock = clock;
        this.mayEnd = mayEnd;
        this.lastSeq = subscription.lastSeq();
        Thread.ofVirtual().name("gateway-broadcast").start(() -> run(subscription));
    }

    private void run(EventSubscription subscription) {
        try (subscription) {
            do {
                var events = subscription.nextBatch(LOOK_UP);
                if (!events.isEmpty()) {
                    send(events);
                }
                if (subscription.isClosed()) {
                    sendRemoved();
                }
            } while (!mayEnd.test(this) && !subscription.isClosed());
        } catch (InterruptedException e) {
            // Nobody does: it ends by itself.
        } catch (RuntimeException | Error e) { // whatever it is, the devices are told
            LOG.log(System.Logger.Level.ERROR, "devices cannot be told of " + session, e);
        } finally {
            end();
        }
    }

    private synchronized void sendRemoved() {
        removed = true;
        over = true;
        var last = lines(mapper.removed(), null);
        listeners.forEach(listener -> listener.removed(last));
        listeners.clear();
        notifyAll();
    }

    private synchronized void end() {
        over = true;
        listeners.forEach(Listener::failed);
        notifyAll();
    }

    /** Whether the session was removed. */
    synchronized boolean isRemoved() {
        return removed;
    }

    synchronized boolean isOver() {
        return over;
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
        return frames.stream().map(each -> new Line(each, each.frame().toJson(now), turn)).toList();
    }

    synchronized boolean hasListeners() {
        return !listeners.isEmpty();
    }

    /** How far it has told: at least to this event of the log, unless it ended before. */
    synchronized long lastSeq(long logged) throws InterruptedException {
        while (lastSeq < logged && !over) {
            wait();
        }
        return lastSeq;
    }

    /** What is done under the one lock: nothing is told between. */
    interface Entry {
        /** What a newcomer lacks of what this one has told. */
        void enter(List<TargetedFrame> missing);
    }

    /**
     * Lets somebody listen from here on who was told the log up to {@code seq} by {@code teller};
     * false if more has been told since.
     */
    synchronized boolean join(Listener listener, FrameMapper teller, long seq, Entry entry) {
        if (removed) {
            listener.removed(lines(teller.removed(), null));
            return true;
        }
        if (over) {
            listener.failed();
            return true;
        }
        if (seq < lastSeq) {
            return false;
        }
        entry.enter(teller.catchUpWith(mapper));
        listeners.add(listener);
        return true;
    }

    synchronized void leave(Listener listener) {
        listeners.remove(listener);
    }
}
