package dev.ash.server.gateway;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.gateway.GatewayFrame;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import dev.ash.protocol.rest.Session;
import dev.ash.protocol.rest.SessionApi;
import dev.ash.server.device.Device;
import dev.ash.server.event.EventViews;
import dev.ash.server.identity.Scope;
import dev.ash.server.repository.GitFailedException;
import dev.ash.server.repository.Repositories;
import dev.ash.server.session.SessionDoor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What devices ask of sessions. Those that they begin work in a folder of the host if they name
 * one, and always ask.
 */
final class SessionMessages {
    private static final int PAGE = 50;
    private static final int MOST = 500;

    private final SessionDoor sessions;
    private final KnownSessions known;
    private final Repositories repositories;
    private final EventViews views;

    SessionMessages(
            SessionDoor sessions,
            KnownSessions known,
            Repositories repositories,
            EventViews views) {
        this.sessions = sessions;
        this.known = known;
        this.repositories = repositories;
        this.views = views;
    }

    /** A session that a device follows from now on, and what it is told of that. */
    record Started(SessionId id, GatewayFrame ready) {}

    Started start(Device device, JsonObject fields) throws MalformedJsonException {
        if (!fields.isTrue("resume")) {
            var session = begin(device, fields);
            var id = new SessionId(session.id());
            return new Started(id, ready(known.known(session), branch(device, id)));
        }
        var id = DeviceDesk.session(fields);
        var terminal = known.terminal(device.tenant(), id);
        if (terminal.isPresent()) {
            return new Started(id, ready(terminal.get(), branch(device, id)));
        }
        var session = sessions.find(device.tenant(), id);
        boolean joinsAsItIs = session.status().equals("active") || isWatchedOnly(device, session);
        if (!joinsAsItIs) {
            session = sessions.resume(device.tenant(), id);
        }
        return new Started(id, ready(known.known(session), branch(device, id)));
    }

    /** A device that may not steer sees a session that rests; that one has ended it is told. */
    private static boolean isWatchedOnly(Device device, Session session) {
        return !device.identity().may(Scope.RUN) && !session.status().equals("ended");
    }

    private Session begin(Device device, JsonObject fields) throws MalformedJsonException {
        var request =
                SessionApi.CreateSession.builder(fields.requireString("agent"))
                        .model(fields.string("model").orElse(null))
                        .systemPrompt(fields.string("system_prompt").orElse(null))
                        .permissionMode("ask")
                        .workingDirectory(fields.string("working_directory").orElse(null))
                        .build();
        return sessions.start(device.tenant(), request);
    }

    private static GatewayFrame ready(KnownSessions.Known session, @Nullable String branch) {
        return GatewayFrame.of(
                "session_ready",
                JsonWriter.object()
                        .put("session_id", session.id())
                        .put("agent", session.agent())
                        .put("working_directory", session.directory())
                        .put("branch", branch)
                        .put("model", session.model())
                        .put("status", session.isTerminal() ? "read_only" : "ready"));
    }

    /** Null where the folder is no repository, or not open to sessions. */
    private @Nullable String branch(Device device, SessionId id) {
        try {
            return repositories.branch(device.tenant(), id).orElse(null);
        } catch (GitFailedException | ApiException e) {
            return null;
        }
    }

    /** Whoever follows the session is told of its end by its log. */
    @Nullable GatewayFrame end(Device device, JsonObject fields) throws MalformedJsonException {
        var id = DeviceDesk.session(fields);
        requireOurs(device, id, "end it there");
        sessions.end(device.tenant(), id);
        return null;
    }

    private void requireOurs(Device device, SessionId id, String instead) {
        if (known.terminal(device.tenant(), id).isPresent()) {
            throw new ApiException(
                    ErrorCode.SESSION_NOT_ACTIVE,
                    "This session runs in a terminal, outside Ash; " + instead);
        }
    }

    /** An app sends what it could not send before again, under the same id. */
    @Nullable GatewayFrame prompt(Device device, GatewayFrame frame, Set<Capability> capabilities)
            throws MalformedJsonException {
        var fields = frame.fields();
        var session = DeviceDesk.session(fields);
        requireOurs(device, session, "type there");
        var id = frame.id() == null ? UUID.randomUUID().toString() : frame.id();
        sessions.prompt(
                device.tenant(), session, content(fields, capabilities), device.id() + "/" + id);
        return null;
    }

    private static RawJson content(JsonObject fields, Set<Capability> capabilities)
            throws MalformedJsonException {
        var text = fields.requireString("content");
        var attached = fields.raw("attachments").filter(raw -> !raw.equals(RawJson.NULL));
        return attached.isPresent() && capabilities.contains(Capability.ATTACHMENTS)
                ? Attachments.content(text, JsonObject.elements(attached.get()))
                : RawJson.string(text);
    }

    GatewayFrame interrupt(Device device, JsonObject fields) throws MalformedJsonException {
        var id = DeviceDesk.session(fields);
        requireOurs(device, id, "interrupt it there");
        boolean interrupted = sessions.interrupt(device.tenant(), id);
        return GatewayFrame.of(
                "interrupted",
                JsonWriter.object().put("session_id", id.value()).put("interrupted", interrupted));
    }

    GatewayFrame permissionMode(Device device, JsonObject fields) throws MalformedJsonException {
        var id = DeviceDesk.session(fields);
        var mode = fields.requireString("mode");
        requireOurs(device, id, "change it there");
        sessions.permissionMode(device.tenant(), id, mode);
        return GatewayFrame.of(
                "permission_mode_changed",
                JsonWriter.object().put("session_id", id.value()).put("mode", mode));
    }

    GatewayFrame history(Device device, JsonObject fields) throws MalformedJsonException {
        var id = DeviceDesk.session(fields);
        sessions.find(device.tenant(), id);
        long after = Math.max(0, fields.number("after").orElse(0));
        int limit = Math.clamp(fields.integer("limit").orElse(PAGE), 1, MOST);
        var page = new HistoryPage(id, after, limit);
        try {
            views.messages(device.tenant(), id, after, limit + 1, page);
        } catch (IOException e) {
            throw new UncheckedIOException(e); // memory does not fail
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ApiException(ErrorCode.SHUTTING_DOWN, "The server is shutting down");
        }
        return page.frame();
    }
}
