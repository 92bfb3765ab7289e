package dev.ash.server.gateway;

import dev.ash.protocol.SessionId;
import dev.ash.server.event.SessionEvents;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Starts and removes the broadcasts of sessions that devices follow. */
final class Broadcasts {
    /** Events from which a mapper restores its state: open messages and pending tool calls. */
    private static final int LOOKBACK_EVENTS = 200;

    private final SessionEvents events;
    private final SessionStates states;
    private final Clock clock;
    private final Map<SessionId, Broadcast> broadcasts = new ConcurrentHashMap<>();

    /** Provides the states of sessions. */
    interface SessionStates {
        /** Returns whether the session must be resumed before it can continue. */
        boolean hasFailed(SessionId session);

        boolean isBusy(SessionId session);
    }

    Broadcasts(SessionEvents events, SessionStates states, Clock clock) {
        this.events = events;
        this.states = states;
        this.clock = clock;
    }

    /** An action on a broadcast that cannot be removed meanwhile. */
    interface Action<T> {
        T apply(Broadcast broadcast);
    }

    /** Applies an action to the broadcast of a session, and starts the broadcast if necessary. */
    <T> T withBroadcast(SessionId session, Action<T> action) {
        var result = new Holder<T>();
        broadcasts.compute(
                session,
                (_, present) -> {
                    var broadcast = present == null || present.isEnded() ? start(session) : present;
                    result.value = action.apply(broadcast);
                    return broadcast;
                });
        return result.get();
    }

    void leave(SessionId session, Broadcast.Listener listener) {
        var present = broadcasts.get(session);
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

    private Broadcast start(SessionId session) {
        var subscription = events.subscribe(session, Long.MAX_VALUE);
        return new Broadcast(
                session,
                subscription,
                mapper(session, subscription.lastSeq()),
                clock,
                broadcast -> tryRemove(session, broadcast));
    }

    /** Removes a broadcast unless it has listeners, or a turn whose partial text it holds. */
    private boolean tryRemove(SessionId session, Broadcast broadcast) {
        if (broadcast.hasListeners() || states.isBusy(session)) {
            return false;
        }
        return broadcasts.computeIfPresent(
                        session, (_, present) -> broadcast.hasListeners() ? present : null)
                == null;
    }

    /**
     * Returns a mapper for the events after {@code after}, with the state of earlier events. Reads
     * them again if the thread is interrupted: a subscription that is closing may have started a
     * broadcast that others use.
     */
    FrameMapper mapper(SessionId session, long after) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return readMapper(session, after);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private FrameMapper readMapper(SessionId session, long after) throws InterruptedException {
        var mapper = new FrameMapper(session, () -> states.hasFailed(session));
        events.readWithoutWaiting( // the caller may hold a lock
                session,
                Math.max(0, after - LOOKBACK_EVENTS),
                LOOKBACK_EVENTS,
                event -> {
                    if (event.seq() <= after) {
                        mapper.skip(List.of(event));
                    }
                    return event.seq() < after;
                });
        return mapper;
    }
}
