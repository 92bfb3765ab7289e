package dev.ash.server.session;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.SessionStatus;
import dev.ash.protocol.TurnId;
import dev.ash.protocol.rest.SessionApi;
import dev.ash.server.event.EventPolls;
import dev.ash.server.event.EventViews;
import dev.ash.server.event.RowListWriter;
import dev.ash.server.http.Endpoint;
import dev.ash.server.http.Exchange;
import dev.ash.server.identity.Scope;
import dev.ash.server.session.file.SessionLogs;
import dev.ash.server.session.lifecycle.SessionForks;
import dev.ash.server.session.lifecycle.SessionPurger;
import dev.ash.server.session.lifecycle.Sessions;
import dev.ash.server.session.store.IdempotencyKey;
import dev.ash.server.session.store.SessionRow;
import dev.ash.server.session.store.SessionStore;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The endpoints for the lifecycle and the log of sessions. */
public final class SessionRoutes {
    private static final String SESSION = "/api/sessions/{id}";

    private final Sessions sessions;
    private final SessionStore store;
    private final EventViews views;
    private final EventPolls polls;
    private final SessionLogs logs;
    private final SessionForks forks;
    private final SessionPurger purger;
    private final Runnable onPurge;

    /** {@code onPurge} runs when there are rows to remove. */
    public SessionRoutes(
            Sessions sessions,
            SessionForks forks,
            SessionStore store,
            EventViews views,
            EventPolls polls,
            SessionLogs logs,
            SessionPurger purger,
            Runnable onPurge) {
        this.sessions = sessions;
        this.forks = forks;
        this.store = store;
        this.views = views;
        this.polls = polls;
        this.logs = logs;
        this.purger = purger;
        this.onPurge = onPurge;
    }

    public List<Endpoint> endpoints() {
        return List.of(
                Endpoint.post("/api/sessions")
                        .scope(Scope.RUN)
                        .summary("Start a session with an agent")
                        .accepts(SessionApi.CreateSession.class)
                        .returns(201, SessionApi.SessionResponse.class)
                        .handledBy(this::create),
                Endpoint.get("/api/sessions")
                        .summary("List sessions, newest first")
                        .query("agent", "string", "Only sessions of this agent")
                        .choice(
                                "status",
                                Stream.of(SessionStatus.values()).map(SessionStatus::wire).toList(),
                                "Only sessions in this state")
                        .query("limit", "integer", "Maximum number of sessions, 1 to 1000 (100)")
                        .query("offset", "integer", "Number of sessions to skip (0)")
                        .query(
                                "idPrefix",
                                "string",
                                "Only sessions whose id starts with this prefix")
                        .returns(200, SessionApi.Sessions.class)
                        .handledBy(this::list),
                Endpoint.get(SESSION)
                        .summary("Show a session")
                        .returns(200, SessionApi.SessionResponse.class)
                        .handledBy(
                                ex ->
                                        answer(
                                                ex,
                                                sessions.find(ex.caller().tenant(), ex.session()))),
                Endpoint.delete(SESSION)
                        .scope(Scope.RUN)
                        .summary("End a session permanently and remove its files")
                        .query("purge", "boolean", "Also remove its log (false)")
                        .returns(200, SessionApi.SessionResponse.class)
                        .handledBy(this::delete),
                Endpoint.post(SESSION + "/pause")
                        .scope(Scope.RUN)
                        .summary("Pause an active session; its sandbox may keep running")
                        .returns(200, SessionApi.SessionResponse.class)
                        .handledBy(
                                ex ->
                                        answer(
                                                ex,
                                                sessions.pause(
                                                        ex.caller().tenant(), ex.session()))),
                Endpoint.post(SESSION + "/stop")
                        .scope(Scope.RUN)
                        .summary("Terminate the sandbox of a session and keep its files")
                        .returns(200, SessionApi.SessionResponse.class)
                        .handledBy(
                                ex ->
                                        answer(
                                                ex,
                                                sessions.stop(ex.caller().tenant(), ex.session()))),
                Endpoint.post(SESSION + "/resume")
                        .scope(Scope.RUN)
                        .summary("Make a paused, stopped or failed session active again")
                        .returns(200, SessionApi.SessionResponse.class)
                        .handledBy(this::resume),
                Endpoint.post(SESSION + "/fork")
                        .scope(Scope.RUN)
                        .summary("Copy a session: its files, and its conversation up to a turn")
                        .accepts(SessionApi.ForkSession.class)
                        .returns(201, SessionApi.SessionResponse.class)
                        .handledBy(this::fork),
                Endpoint.patch(SESSION + "/config")
                        .scope(Scope.RUN)
                        .summary("Change the configuration that the next turns use")
                        .accepts(SessionApi.UpdateConfig.class)
                        .returns(200, SessionApi.SessionResponse.class)
                        .handledBy(this::configure),
                Endpoint.get(SESSION + "/messages")
                        .summary("Read the conversation")
                        .query("after", "integer", "Only rows with a greater sequence (0)")
                        .query("limit", "integer", "Maximum number of rows, 1 to 1000 (100)")
                        .returns(200, SessionApi.Messages.class)
                        .handledBy(this::messages),
                Endpoint.get(SESSION + "/events")
                        .summary("Read the events: text, tools, errors, lifecycle")
                        .query("after", "integer", "Only rows with a greater sequence (0)")
                        .query("limit", "integer", "Maximum number of rows, 1 to 1000 (200)")
                        .query("type", "string", "Only rows of this type")
                        .query(
                                "wait",
                                "integer",
                                "Maximum time to wait for a row in milliseconds, 0 to 50000 (0)")
                        .returns(200, SessionApi.Events.class)
                        .handledBy(this::events),
                Endpoint.get(SESSION + "/logs")
                        .summary("Read the output of the sandbox's processes")
                        .query("after", "integer", "Only lines with a greater index (-1)")
                        .returns(200, SessionApi.Logs.class)
                        .handledBy(this::logs));
    }

    private static void answer(Exchange exchange, SessionRow row) {
        exchange.respond(200, new SessionApi.SessionResponse(row.toApi()));
    }

    private void create(Exchange exchange) {
        var request = exchange.body(SessionApi.CreateSession.class);
        var key = IdempotencyKey.of(exchange, "POST /api/sessions");
        var row = sessions.register(exchange.caller().tenant(), request, key);
        exchange.setSession(row.id());
        exchange.respond(201, new SessionApi.SessionResponse(sessions.start(row).toApi()));
    }

    private void delete(Exchange exchange) {
        var tenant = exchange.caller().tenant();
        if (exchange.flag("purge")) {
            answer(exchange, purger.purge(tenant, exchange.session()));
            onPurge.run();
        } else {
            answer(exchange, sessions.end(tenant, exchange.session(), "ended"));
        }
    }

    private void fork(Exchange exchange) {
        var turn = Optional.ofNullable(exchange.body(SessionApi.ForkSession.class).turnId());
        var copy =
                forks.fork(exchange.caller().tenant(), exchange.session(), turn.map(TurnId::new));
        exchange.respond(201, new SessionApi.SessionResponse(copy.toApi()));
    }

    private void resume(Exchange exchange) {
        answer(exchange, sessions.resume(exchange.caller().tenant(), exchange.session()));
    }

    private void configure(Exchange exchange) {
        var change = exchange.body(SessionApi.UpdateConfig.class);
        answer(
                exchange,
                sessions.configure(exchange.caller().tenant(), exchange.session(), change));
    }

    private void list(Exchange exchange) {
        var filter =
                new SessionStore.Filter(
                        exchange.caller().tenant(),
                        exchange.query("agent"),
                        exchange.query("status").map(SessionStatus::ofWire),
                        (int) number(exchange, "limit", 100, 1, 1000),
                        number(exchange, "offset", 0, 0, Long.MAX_VALUE),
                        exchange.query("idPrefix").map(SessionRoutes::prefix));
        var rows = store.list(filter, SessionRow::toApi);
        exchange.respond(200, new SessionApi.Sessions(rows, store.count(filter)));
    }

    private static String prefix(String text) {
        if (!text.matches("[0-9a-f-]{1,36}")) {
            throw ApiException.invalid("idPrefix", "must be the first characters of a session id");
        }
        return text;
    }

    private void messages(Exchange exchange) throws IOException, InterruptedException {
        var row = sessions.find(exchange.caller().tenant(), exchange.session());
        long after = number(exchange, "after", 0, 0, Long.MAX_VALUE);
        int limit = (int) number(exchange, "limit", 100, 1, 1000);
        var rows = RowListWriter.messages(exchange.json(200));
        views.messages(row.tenant(), row.id(), after, limit, rows);
        rows.finish();
    }

    private void events(Exchange exchange) throws Exception {
        var row = sessions.find(exchange.caller().tenant(), exchange.session());
        long after = number(exchange, "after", 0, 0, Long.MAX_VALUE);
        int limit = (int) number(exchange, "limit", 200, 1, 1000);
        var wait = Duration.ofMillis(number(exchange, "wait", 0, 0, 50_000));
        var type = exchange.query("type");
        var rows = RowListWriter.events(exchange.json(200));
        exchange.await(
                () -> {
                    polls.awaitEvents(row.tenant(), row.id(), after, limit, type, wait, rows);
                    return true;
                });
        rows.finish();
    }

    private void logs(Exchange exchange) throws IOException {
        var row = sessions.find(exchange.caller().tenant(), exchange.session());
        long after = number(exchange, "after", -1, -1, Long.MAX_VALUE);
        exchange.respond(200, new SessionApi.Logs(logs.after(row.sandbox(), after), "sandbox"));
    }

    /** Parses a query parameter as a whole number within bounds. */
    static long number(Exchange exchange, String name, long defaultValue, long min, long max) {
        var text = exchange.query(name);
        if (text.isEmpty()) {
            return defaultValue;
        }
        try {
            long value = Long.parseLong(text.get());
            if (value >= min && value <= max) {
                return value;
            }
        } catch (NumberFormatException e) {
            // reported below
        }
        throw ApiException.invalid(
                name,
                max == Long.MAX_VALUE
                        ? "must be a whole number of at least " + min
                        : "must be a whole number from " + min + " to " + max);
    }
}
