package dev.ash.server.gateway;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.TurnId;
import dev.ash.server.event.LoggedEvent;
import dev.ash.server.event.Watcher;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Tells the events of one session to all devices that follow it, as they come: each is made into
 * frames once, however many devices there are. It goes on for the rest of a turn when the last
 * device drops, so that one that comes back gets the text of an unfinished message so far.
 */
final class Broadcast {
    private static final System.Logger LOG = System.getLogger("ash.gateway");
    private static final Duration LOOK_UP = Duration.ofMinutes(1);

    private final SessionId session;
    private final Narrator narrator;
    private final Clock clock;
    private final Predicate<Broadcast> mayEnd;
    private final Set<Listener> listeners = new LinkedHashSet<>(); // guarded by this
    private long lastSeq; // guarded by this
    private boolean over; // guarded by this
    private boolean removed; // guarded by this

    /** Told on the thread that tells all, so it must not wait. */
    interface Listener {
        void told(Batch batch);

        /** The session was removed, after these last frames. */
        void removed(List<Line> last);

        /** Nothing more will be told; to begin again is all that helps. */
        void failed();
    }

    /** A frame as it is sent, whom it is for, and the turn that it is about. */
    record Line(Told told, String text, @Nullable TurnId turn) {}

    /** Frames that came together, up to this event of the log. */
    record Batch(SessionId session, List<Line> lines, long lastSeq) {}

    /** {@code mayEnd} removes it from where others find it, if nobody has come meanwhile. */
    Broadcast(
            SessionId session,
            Watcher watcher,
            Narrator narrator,
            Clock clock,
            Predicate<Broadcast> mayEnd) {
        this.session = session;
        this.narrator = narrator;
        this.clock = clock;
        this.mayEnd = mayEnd;
        this.lastSeq = watcher.lastSeq();
        Thread.ofVirtual().name("gateway-broadcast").start(() -> run(watcher));
    }

    private void run(Watcher watcher) {
        try (watcher) {
            do {
                var events = watcher.nextBatch(LOOK_UP);
                if (!events.isEmpty()) {
                    tell(events);
                }
                if (watcher.isOver()) {
                    sendRemoved();
                }
            } while (!mayEnd.test(this) && !watcher.isOver());
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
        var last = lines(narrator.removed(), null);
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

    private synchronized void tell(List<LoggedEvent> events) {
        var told = new ArrayList<Line>();
        for (var event : events) {
            told.addAll(lines(narrator.tell(event), event.turn()));
            lastSeq = Math.max(lastSeq, event.seq());
        }
        var batch = new Batch(session, List.copyOf(told), lastSeq);
        listeners.forEach(listener -> listener.told(batch));
        notifyAll();
    }

    private List<Line> lines(List<Told> told, @Nullable TurnId turn) {
        var now = clock.instant().toString();
        return told.stream().map(each -> new Line(each, each.frame().text(now), turn)).toList();
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
        void enter(List<Told> missing);
    }

    /**
     * Lets somebody listen from here on who was told the log up to {@code seq} by {@code teller};
     * false if more has been told since.
     */
    synchronized boolean join(Listener listener, Narrator teller, long seq, Entry entry) {
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
        entry.enter(teller.catchUpWith(narrator));
        listeners.add(listener);
        return true;
    }

    synchronized void leave(Listener listener) {
        listeners.remove(listener);
    }
}
