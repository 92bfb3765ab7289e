package dev.ash.server.gateway;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.json.RawJson;
import dev.ash.server.event.EventType;
import dev.ash.server.event.LoggedEvent;
import dev.ash.server.event.SessionEvents;
import java.time.Clock;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The broadcasts of all sessions that a device follows. */
final class Broadcasts {
    /** How many events a tool may take to answer, for its name to be found again. */
    private static final int LOOK_BACK = 200;

    private final SessionEvents events;
    private final Standing standing;
    private final Clock clock;
    private final Map<SessionId, Broadcast> all = new ConcurrentHashMap<>();

    /** How a session is doing. */
    interface Standing {
        /** Whether somebody must resume it before it goes on. */
        boolean isBroken(SessionId session);

        boolean isInTurn(SessionId session);
    }

    Broadcasts(SessionEvents events, Standing standing, Clock clock) {
        this.events = events;
        this.standing = standing;
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
                    var broadcast = present == null ? begin(session) : present;
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
        return new Broadcast(
                session,
                events.watch(session, Long.MAX_VALUE),
                narrator(session),
                clock,
                broadcast -> ends(session, broadcast));
    }

    /** Nobody listens, and nothing would be lost for one who comes back. */
    private boolean ends(SessionId session, Broadcast broadcast) {
        if (broadcast.hasListeners() || standing.isInTurn(session)) {
            return false;
        }
        return all.computeIfPresent(
                        session, (_, present) -> broadcast.hasListeners() ? present : null)
                == null;
    }

    Narrator narrator(SessionId session) {
        return new Narrator(
                session,
                new Narrator.Past() {
                    @Override
                    public Optional<String> tool(String toolCallId, long before) {
                        return toolName(session, toolCallId, before);
                    }

                    @Override
                    public String text(String messageId, long before) {
                        return earlierText(session, messageId, before);
                    }

                    @Override
                    public boolean isBroken() {
                        return standing.isBroken(session);
                    }
                });
    }

    private Optional<String> toolName(SessionId session, String toolCallId, long before) {
        return earlier(session, toolCallId, before)
                .flatMap(message -> EngineBlocks.toolName(message, toolCallId).stream())
                .findFirst();
    }

    private String earlierText(SessionId session, String messageId, long before) {
        return earlier(session, messageId, before)
                .map(message -> EngineBlocks.text(message, messageId))
                .collect(Collectors.joining());
    }

    /** Messages before this event that may be about it. */
    private Stream<RawJson> earlier(SessionId session, String id, long before) {
        long from = Math.max(0, before - LOOK_BACK - 1);
        return events.read(session, from, LOOK_BACK).stream()
                .filter(event -> event.type() == EventType.MESSAGE && event.seq() < before)
                .map(LoggedEvent::data)
                .filter(data -> data.toString().contains(id));
    }
}
