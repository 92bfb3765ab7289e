package dev.ash.server.session.turn;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.Limits;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.TurnId;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.rest.SessionApi;
import dev.ash.server.event.EventPosition;
import dev.ash.server.event.EventSubscription;
import dev.ash.server.event.EventType;
import dev.ash.server.event.SessionEvents;
import dev.ash.server.http.Endpoint;
import dev.ash.server.http.Exchange;
import dev.ash.server.http.Json;
import dev.ash.server.http.SseStream;
import dev.ash.server.identity.Scope;
import dev.ash.server.session.lifecycle.Sessions;
import dev.ash.server.session.store.IdempotencyKey;
import java.io.IOException;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The endpoints for turns and commands: prompts, event streams, interrupts, steering, exec. */
public final class TurnRoutes {
    private static final String SESSION = "/api/sessions/{id}";

    /** Prompts and lifecycle events have endpoints of their own. */
    private static final Set<EventType> STREAMED =
            EnumSet.complementOf(EnumSet.of(EventType.PROMPT, EventType.LIFECYCLE));

    private static final Set<EventType> STREAMED_WITH_PROMPTS =
            EnumSet.complementOf(EnumSet.of(EventType.LIFECYCLE));

    private final Turns turns;
    private final Sessions sessions;
    private final SessionEvents events;
    private final String version;
    private final Timings timings;

    /** Whether the timing of each turn is printed. */
    public enum Timings {
        PRINTED,
        OFF
    }

    public TurnRoutes(
            Turns turns, Sessions sessions, SessionEvents events, String version, Timings timings) {
        this.turns = turns;
        this.sessions = sessions;
        this.events = events;
        this.version = version;
        this.timings = timings;
    }

    public List<Endpoint> endpoints() {
        return List.of(
                Endpoint.post(SESSION + "/messages")
                        .scope(Scope.RUN)
                        .summary("Send a prompt and stream the turn")
                        .accepts(SessionApi.SendMessage.class)
                        .maxBodyBytes(Limits.MAX_MESSAGE_BODY_BYTES)
                        .returns(200, SseStream.class)
                        .handledBy(this::send),
                Endpoint.get(SESSION + "/stream")
                        .summary("Follow a session's events, from the log and then live")
                        .query("after", "integer", "Start after this event id (0)")
                        .choice(
                                "until",
                                List.of("idle"),
                                "idle: end the stream after the running turn")
                        .query(
                                "prompts",
                                "boolean",
                                "Also send prompts, as \"prompt\" frames (false)")
                        .returns(200, SseStream.class)
                        .handledBy(this::follow),
                Endpoint.post(SESSION + "/interrupt")
                        .scope(Scope.RUN)
                        .summary("Interrupt the running turn")
                        .returns(200, SessionApi.Interrupted.class)
                        .handledBy(this::interrupt),
                Endpoint.post(SESSION + "/steer")
                        .scope(Scope.RUN)
                        .summary("Add a message to the running turn")
                        .accepts(SessionApi.Steer.class)
                        .maxBodyBytes(Limits.MAX_MESSAGE_BODY_BYTES)
                        .returns(200, SessionApi.Steered.class)
                        .handledBy(this::steer),
                Endpoint.post(SESSION + "/exec")
                        .scope(Scope.RUN)
                        .summary("Run a shell command in the sandbox")
                        .accepts(SessionApi.Exec.class)
                        .returns(200, SessionApi.ExecResult.class)
                        .handledBy(this::exec));
    }

    private void send(Exchange exchange) throws IOException, InterruptedException {
        var timing = timings == Timings.PRINTED ? new TurnTiming() : null;
        var session = exchange.session();
        try (var turn = open(exchange, session)) {
            if (timing != null) {
                timing.committed();
            }
            exchange.releaseBody();
            var stream = beginStream(exchange, session);
            try {
                sendTurn(new EventFrames(stream), turn.events(), turn.id(), timing);
            } finally {
                if (timing != null) {
                    timing.print(session, turn.id());
                }
            }
        }
    }

    private Turns.OpenedTurn open(Exchange exchange, SessionId session) {
        var message = exchange.body(SessionApi.SendMessage.class);
        var key = IdempotencyKey.of(exchange, "POST messages " + session.value());
        return turns.open(exchange.caller().tenant(), session, message, key);
    }

    private SseStream beginStream(Exchange exchange, SessionId session) throws IOException {
        return exchange.sse(
                "session_start",
                JsonWriter.object()
                        .put("sessionId", session.value())
                        .put("version", version)
                        .end());
    }

    /** Sends the events of one turn up to its {@code done}. */
    private static void sendTurn(
            EventFrames frames,
            EventSubscription subscription,
            TurnId turn,
            @Nullable TurnTiming timing)
            throws IOException, InterruptedException {
        while (true) {
            boolean isDone = false;
            for (var event : frames.awaitEvents(subscription)) {
                if (event.belongsTo(turn) && STREAMED.contains(event.type()) && !isDone) {
                    frames.add(event);
                    if (timing != null) {
                        timing.sent(event.type() == EventType.MESSAGE);
                    }
                    isDone = event.type() == EventType.DONE;
                }
            }
            frames.send();
            if (isDone || subscription.isClosed()) {
                return;
            }
        }
    }

    private void follow(Exchange exchange) throws IOException, InterruptedException {
        var row = sessions.find(exchange.caller().tenant(), exchange.session());
        long after = EventPosition.parse(exchange.query("after"), exchange.header("Last-Event-ID"));
        var until = exchange.query("until");
        if (until.isPresent() && !until.get().equals("idle")) {
            throw ApiException.invalid("until", "must be idle, or omitted to follow indefinitely");
        }
        var types = exchange.flag("prompts") ? STREAMED_WITH_PROMPTS : STREAMED;
        try (var subscription = events.subscribe(row.id(), after)) {
            var frames = new EventFrames(beginStream(exchange, row.id()));
            boolean isIdle = false;
            boolean hasMore = true;
            while (hasMore) {
                // Check for open turns before reading the log to its end: the log then contains the
                // done of a turn that has ended.
                isIdle = until.isPresent() && (isIdle || turns.isIdle(row.id()));
                var batch =
                        isIdle
                                ? frames.availableEvents(subscription)
                                : frames.awaitEvents(subscription);
                for (var event : batch) {
                    // The end of a turn that cannot be logged now is sent once it is logged.
                    if (types.contains(event.type())
                            && (!event.isTransient() || event.type() == EventType.MESSAGE)) {
                        frames.add(event);
                    }
                }
                frames.send();
                // A session that was removed before the subscription has no further events.
                boolean isRemoved =
                        subscription.isClosed() || (batch.isEmpty() && !sessions.exists(row));
                hasMore = !isRemoved && (!isIdle || !batch.isEmpty());
            }
        }
    }

    private void interrupt(Exchange exchange) {
        var id = exchange.session();
        var interrupted = turns.interrupt(exchange.caller().tenant(), id);
        exchange.respond(200, new SessionApi.Interrupted(interrupted));
    }

    private void steer(Exchange exchange) {
        var content = exchange.body(SessionApi.Steer.class).content();
        var reply = turns.steer(exchange.caller().tenant(), exchange.session(), content);
        exchange.respond(200, new SessionApi.Steered(reply.reason() == null, reply.reason()));
    }

    private void exec(Exchange exchange) throws IOException {
        var id = exchange.session();
        var request = exchange.body(SessionApi.Exec.class);
        var result = turns.exec(exchange.caller().tenant(), id, request);
        try (var out = exchange.json(200)) {
            Json.write(
                    out,
                    new SessionApi.ExecResult(result.exitCode(), result.stdout(), result.stderr()));
        }
    }
}
