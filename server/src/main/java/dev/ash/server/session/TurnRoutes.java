package dev.ash.server.session;

import dev.ash.protocol.Limits;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.TurnId;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.rest.SessionApi;
import dev.ash.server.event.EventType;
import dev.ash.server.event.Highlights;
import dev.ash.server.event.LoggedEvent;
import dev.ash.server.event.SessionEvents;
import dev.ash.server.event.Watcher;
import dev.ash.server.http.Endpoint;
import dev.ash.server.http.Exchange;
import dev.ash.server.http.SseStream;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The endpoints that make a session work: prompts, their streams, interrupts, commands. */
public final class TurnRoutes {
    private static final String SESSION = "/api/sessions/{id}";

    private final Turns turns;
    private final Sessions sessions;
    private final SessionEvents events;
    private final String version;
    private final Timings timings;

    /** Whether each turn prints where its time went. */
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
                        .summary("Send a prompt and stream the turn")
                        .takes(SessionApi.SendMessage.class)
                        .maxBodyBytes(Limits.MAX_MESSAGE_BODY_BYTES)
                        .answers(200, SseStream.class)
                        .handledBy(this::send),
                Endpoint.get(SESSION + "/stream")
                        .summary("Follow a session's events, from the log and then live")
                        .query("after", "integer", "Begin after this event id (0)")
                        .query("until", "string", "idle: end with the turn that is running")
                        .answers(200, SseStream.class)
                        .handledBy(this::follow),
                Endpoint.post(SESSION + "/interrupt")
                        .summary("Interrupt the running turn")
                        .answers(200, SessionApi.Interrupted.class)
                        .handledBy(this::interrupt),
                Endpoint.post(SESSION + "/exec")
                        .summary("Run a shell command in the sandbox")
                        .takes(SessionApi.Exec.class)
                        .answers(200, SessionApi.ExecResult.class)
                        .handledBy(this::exec));
    }

    private void send(Exchange exchange) throws IOException, InterruptedException {
        var timing = new TurnTiming();
        var session = SessionRoutes.id(exchange);
        var message = exchange.body(SessionApi.SendMessage.class);
        var key = IdempotencyKey.of(exchange, "POST messages " + session.value());
        var turn = turns.accept(exchange.caller().tenant(), session, message, key);
        timing.accepted();
        try (var watcher = turn.watcher()) {
            turn.run();
            var stream = begin(exchange, session);
            show(stream, watcher, turn.id(), timing);
        } finally {
            if (timings == Timings.PRINTED) {
                timing.print(session, turn.id());
            }
        }
    }

    private SseStream begin(Exchange exchange, SessionId session) throws IOException {
        var stream = exchange.sse();
        stream.frame(
                "session_start",
                JsonWriter.object()
                        .put("sessionId", session.value())
                        .put("version", version)
                        .end());
        return stream;
    }

    /** Everything of one turn until its done. */
    private static void show(SseStream stream, Watcher watcher, TurnId turn, TurnTiming timing)
            throws IOException, InterruptedException {
        while (true) {
            var event = next(stream, watcher);
            if (event != null && event.belongsTo(turn)) {
                frames(stream, event);
                timing.shown(event.type() == EventType.MESSAGE);
                if (event.type() == EventType.DONE) {
                    return;
                }
            }
        }
    }

    private void follow(Exchange exchange) throws IOException, InterruptedException {
        var row = sessions.find(exchange.caller().tenant(), SessionRoutes.id(exchange));
        long last =
                exchange.header("Last-Event-ID")
                        .filter(id -> id.matches("[0-9]{1,18}"))
                        .map(Long::parseLong)
                        .orElse(0L);
        long after = SessionRoutes.number(exchange, "after", last, 0, Long.MAX_VALUE);
        boolean untilIdle = exchange.query("until").filter("idle"::equals).isPresent();
        try (var watcher = events.watch(row.id(), after)) {
            var stream = begin(exchange, row.id());
            boolean idle = false;
            while (true) {
                // The log is asked whether a turn runs before it is read to its end: a turn that is
                // over there has its done there too.
                idle = untilIdle && (idle || turns.isIdle(row.id()));
                var event = idle ? watcher.next(Duration.ZERO) : next(stream, watcher);
                if (event != null) {
                    frames(stream, event);
                } else if (idle) {
                    return;
                }
            }
        }
    }

    private static @Nullable LoggedEvent next(SseStream stream, Watcher watcher)
            throws IOException, InterruptedException {
        var event = watcher.next(Limits.HEARTBEAT);
        if (event == null) {
            stream.comment("waiting");
        }
        return event;
    }

    private static void frames(SseStream stream, LoggedEvent event) throws IOException {
        switch (event.type()) {
            case MESSAGE -> {
                for (var highlight : Highlights.of(event.data())) {
                    stream.frame(highlight.event(), highlight.data());
                }
                frame(stream, "message", event);
            }
            case ERROR -> frame(stream, "error", event);
            case DONE -> frame(stream, "done", event);
            case APPROVAL_REQUIRED -> frame(stream, "approval_required", event);
            case APPROVAL_RESOLVED -> frame(stream, "approval_resolved", event);
            case PROMPT, LIFECYCLE -> {} // history, not part of a stream
        }
    }

    private static void frame(SseStream stream, String name, LoggedEvent event) throws IOException {
        if (event.isHint()) {
            stream.frame(name, event.data());
        } else {
            stream.frame(name, event.data(), event.seq());
        }
    }

    private void interrupt(Exchange exchange) {
        var id = SessionRoutes.id(exchange);
        var interrupted = turns.interrupt(exchange.caller().tenant(), id);
        exchange.answer(200, new SessionApi.Interrupted(interrupted));
    }

    private void exec(Exchange exchange) {
        var id = SessionRoutes.id(exchange);
        var request = exchange.body(SessionApi.Exec.class);
        var result = turns.exec(exchange.caller().tenant(), id, request);
        exchange.answer(
                200,
                new SessionApi.ExecResult(result.exitCode(), result.stdout(), result.stderr()));
    }
}
