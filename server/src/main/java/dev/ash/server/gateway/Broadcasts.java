package dev.ash.server.gateway;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import dev.ash.server.event.EventType;
import dev.ash.server.event.LoggedEvent;
import dev.ash.server.event.SessionEvents;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The broadcasts of all sessions that a device follows. */
final class Broadcasts {
    /** How many events a tool may take to answer, for its name to be found again. */
    private static final int LOOK_BACK = 200;

    private final SessionEvents events;
    private final Predicate<SessionId> isBroken;
    private final Clock clock;
    private final Map<SessionId, Broadcast> all = new ConcurrentHashMap<>();

    Broadcasts(SessionEvents events, Predicate<SessionId> isBroken, Clock clock) {
        this.events = events;
        this.isBroken = isBroken;
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
        var watcher = events.watch(session, Long.MAX_VALUE);
        return new Broadcast(
                session,
                watcher,
                narrator(session, watcher.lastSeq()),
                clock,
                broadcast -> ends(session, broadcast));
    }

    private boolean ends(SessionId session, Broadcast broadcast) {
        return broadcast.isIdle()
                && all.computeIfPresent(
                                session,
                                (_, present) ->
                                        present == broadcast && broadcast.isIdle() ? null : present)
                        != broadcast;
    }

    /** One that goes on after this event, and knows what was told before. */
    Narrator narrator(SessionId session, long after) {
        var narrator = fresh(session);
        narrator.heard(
                events.read(session, Math.max(0, after - LOOK_BACK), LOOK_BACK).stream()
                        .filter(event -> event.seq() <= after)
                        .toList());
        return narrator;
    }

    private Narrator fresh(SessionId session) {
        return new Narrator(
                session,
                new Narrator.Past() {
                    @Override
                    public Optional<String> tool(String toolCallId, long before) {
                        return toolName(session, toolCallId, before);
                    }

                    @Override
                    public boolean isBroken() {
                        return isBroken.test(session);
                    }
                });
    }

    private Optional<String> toolName(SessionId session, String toolCallId, long before) {
        return events.read(session, Math.max(0, before - LOOK_BACK), LOOK_BACK).stream()
                .filter(event -> event.type() == EventType.MESSAGE)
                .flatMap(event -> name(event, toolCallId).stream())
                .findFirst();
    }

    private static Optional<String> name(LoggedEvent event, String toolCallId) {
        if (!event.data().toString().contains(toolCallId)) {
            return Optional.empty();
        }
        try {
            for (var element : blocks(event)) {
                var block = JsonObject.parse(element);
                if (block.string("type").orElse("").equals("tool_use")
                        && block.string("id").orElse("").equals(toolCallId)) {
                    return block.string("name");
                }
            }
        } catch (MalformedJsonException e) {
            return Optional.empty();
        }
        return Optional.empty();
    }

    private static List<RawJson> blocks(LoggedEvent event) throws MalformedJsonException {
        var message = JsonObject.parse(event.data()).object("message");
        var content = message.flatMap(present -> present.raw("content"));
        return content.isPresent() && content.get().toString().startsWith("[")
                ? JsonObject.elements(content.get())
                : List.of();
    }
}
