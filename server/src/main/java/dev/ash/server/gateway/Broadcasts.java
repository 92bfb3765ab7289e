package dev.ash.server.gateway;

import dev.ash.protocol.SessionId;
import dev.ash.server.event.SessionEvents;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The broadcasts of all sessions that a device follows. */
final class Broadcasts {
    /** How many events a message may consist of, or a tool take to answer, for all to be known. */
    private static final int LOOK_BACK = 200;

    private final SessionEvents events;
    private final SessionStates states;
    private final Clock clock;
    private final Map<SessionId, Broadcast> all = new ConcurrentHashMap<>();

    /** The states of sessions. */
    interface SessionStates {
        /** Whether somebody must resume it before it goes on. */
        boolean isBroken(SessionId session);

        boolean isInTurn(SessionId session);
    }

    Broadcasts(SessionEvents events, SessionStates states, Clock clock) {
        this.events = events;
        this.states = states;
        this.clock = clock;
    }

    /** What is done with a broadcast while it cannot end. */
    interface Use<T> {
        T with(Broadcast broadcast);
    }

    /**
     * The broadcast of a session is begun, unless it is there, and lives at least as long as this.
     */
    <T> T with(SessionId session, Use<T> use) {
        var result = new Holder<T>();
        all.compute(
                session,
                (_, present) -> {
                    var broadcast = present == null || present.isOver() ? begin(session) : present;
                    result.value = use.with(broadcast);
                    return broadcast;
                });
        return result.get();
    }

    void leave(SessionId session, Broadcast.Listener listener) {
        var present = all.get(session);
        if (present != null) {
            present.leave(listener);
        }
    }

    private static final class Holder<T> {
        private @Nullable T value;

        private T get() {
            return Objects.requireNonNull(value);
        }
    }

    private Broadcast begin(SessionId session) {
        var subscription = events.subscribe(session, Long.MAX_VALUE);
        return new Broadcast(
                session,
                subscription,
                mapper(session, subscription.lastSeq()),
                clock,
                broadcast -> ends(session, broadcast));
    }

    /** Nobody listens, and nothing would be lost for one who comes back. */
    private boolean ends(SessionId session, Broadcast broadcast) {
        if (broadcast.hasListeners() || states.isInTurn(session)) {
            return false;
        }
        return all.computeIfPresent(
                        session, (_, present) -> broadcast.hasListeners() ? present : null)
                == null;
    }

    /** A mapper that continues after this event, with the state of the events before. */
    FrameMapper mapper(SessionId session, long after) {
        var mapper = new FrameMapper(session, () -> states.isBroken(session));
        try {
            events.readWithoutWaiting( // under a lock that others wait for
                    session,
                    Math.max(0, after - LOOK_BACK),
                    LOOK_BACK,
                    event -> {
                        if (event.seq() <= after) {
                            mapper.skip(List.of(event));
                        }
                        return event.seq() < after;
                    });
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // whoever follows is leaving
        }
        return mapper;
    }
}
