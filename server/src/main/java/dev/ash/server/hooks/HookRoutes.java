package dev.ash.server.hooks;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.Excerpt;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.bridge.BridgeCommand.Approve;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.RawJson;
import dev.ash.protocol.rest.HookApi;
import dev.ash.protocol.rest.SessionApi;
import dev.ash.server.event.EventPosition;
import dev.ash.server.event.EventViews;
import dev.ash.server.event.RowListWriter;
import dev.ash.server.http.Endpoint;
import dev.ash.server.http.Exchange;
import dev.ash.server.store.Timestamps;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Endpoints for hook events, and for reading terminal sessions and their events. */
public final class HookRoutes {
    /** Hook events contain the input and output of tools, which may be whole files. */
    private static final int MAX_BODY_BYTES = 4 * 1024 * 1024;

    private static final int MAX_LISTED = 200;
    private static final String SESSIONS = "/api/hooks/sessions";

    private final Hooks hooks;
    private final HookToken token;
    private final EventViews views;

    public HookRoutes(Hooks hooks, HookToken token, EventViews views) {
        this.hooks = hooks;
        this.token = token;
        this.views = views;
    }

    public List<Endpoint> endpoints() {
        return List.of(
                eventEndpoint(),
                Endpoint.get(SESSIONS)
                        .summary("List terminal sessions, latest first")
                        .returns(200, HookApi.Sessions.class)
                        .handledBy(this::list),
                Endpoint.get(SESSIONS + "/{id}/events")
                        .summary("Read the hook events of a terminal session")
                        .query("after", "integer", "Only events with a greater sequence (0)")
                        .returns(200, SessionApi.Events.class)
                        .handledBy(this::events));
    }

    /** The endpoint for hook events, which also answers questions. */
    public Endpoint eventEndpoint() {
        return Endpoint.post("/hooks/event")
                .summary("Receive a hook event of Claude Code, and answer its question")
                .open() // authenticated by the hook token instead of an API key
                .maxBodyBytes(MAX_BODY_BYTES)
                .returns(200, byte[].class)
                .handledBy(this::event);
    }

    private void event(Exchange exchange) throws IOException, InterruptedException {
        token.check(exchange.header("Authorization"));
        var event = HookEvent.parse(exchange.bodyBytes());
        exchange.setSession(event.session());
        event = hooks.resolveSession(TenantId.DEFAULT, event);
        boolean isQuestion = event.is("PreToolUse") && exchange.header("X-Ash-Ask").isPresent();
        var recorded = hooks.record(TenantId.DEFAULT, event, isQuestion);
        if (!isQuestion && !requiresAnswer(event)) {
            exchange.respond(
                    200,
                    event.form() == HookEvent.Form.CLAUDE ? HookAnswer.NONE : receipt(recorded));
            return;
        }
        var asked = hooks.ask(recorded.session(), event);
        if (asked.isEmpty()) {
            exchange.respond(200, HookAnswer.of(event, Optional.empty()));
            return;
        }
        try (var out = exchange.stream(200, Map.of("Content-Type", "application/json"))) {
            // Leading blanks are valid JSON, and detect a closed connection.
            Optional<Approve> decision;
            try (var question = asked.get()) {
                decision =
                        question.await(
                                () -> {
                                    out.write(' ');
                                    out.flush();
                                });
            }
            HookAnswer.of(event, decision).writeTo(out);
        }
    }

    /** PreToolUse is sent for every call, and needs an answer only if it is marked. */
    private static boolean requiresAnswer(HookEvent event) {
        return event.is("PermissionRequest")
                || (event.is("PreToolUse") && event.fields().isTrue("requires_approval"));
    }

    private static RawJson receipt(Hooks.Recorded recorded) {
        return JsonWriter.object()
                .put("received", true)
                .put("event_id", recorded.session().id() + "/" + recorded.seq())
                .put("timestamp", Timestamps.iso(recorded.session().seenAt()))
                .end();
    }

    private void list(Exchange exchange) {
        var sessions = hooks.list(exchange.caller().tenant(), MAX_LISTED);
        exchange.respond(
                200, new HookApi.Sessions(sessions.stream().map(HookRoutes::toApi).toList()));
    }

    private static HookApi.TerminalSession toApi(HookSession session) {
        return new HookApi.TerminalSession(
                session.id().value(),
                session.directory(),
                session.title(),
                session.isActive() ? "active" : "ended",
                Timestamps.iso(session.createdAt()),
                Timestamps.iso(session.seenAt()));
    }

    private void events(Exchange exchange) throws IOException, InterruptedException {
        var name = exchange.path("id");
        var session =
                hooks.findByName(exchange.caller().tenant(), name)
                        .orElseThrow(
                                () ->
                                        new ApiException(
                                                ErrorCode.SESSION_NOT_FOUND,
                                                "No hook has reported a session "
                                                        + Excerpt.of(name, 100)));
        long after = EventPosition.parse(exchange.query("after"), Optional.empty());
        var rows = RowListWriter.events(exchange.json(200));
        views.events(session.tenant(), session.id(), after, MAX_LISTED, Optional.empty(), rows);
        rows.finish();
    }
}
