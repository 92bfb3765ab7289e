package dev.ash.server.gateway;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.PermissionMode;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.gateway.GatewayFrame;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import dev.ash.protocol.rest.Session;
import dev.ash.protocol.rest.SessionApi;
import dev.ash.server.device.Device;
import dev.ash.server.device.SentRequest;
import dev.ash.server.event.EventViews;
import dev.ash.server.gateway.DeviceMessage.ChangePermissionMode;
import dev.ash.server.gateway.DeviceMessage.EndSession;
import dev.ash.server.gateway.DeviceMessage.Prompt;
import dev.ash.server.gateway.DeviceMessage.ReadHistory;
import dev.ash.server.gateway.DeviceMessage.StartSession;
import dev.ash.server.identity.Scope;
import dev.ash.server.repository.GitFailedException;
import dev.ash.server.repository.Repositories;
import dev.ash.server.session.SessionService;
import dev.ash.server.session.turn.TurnStatements;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Handles requests of devices about sessions. Sessions that devices start work in a project if the
 * request names one, and require approvals unless their engine cannot ask.
 */
final class SessionRequestHandler {
    private static final int DEFAULT_PAGE_SIZE = 50;
    private static final int MAX_PAGE_SIZE = 500;
    private static final String DUPLICATE =
            "This message was already received on an earlier connection; its answer is in the"
                    + " session. Use another id to send the same text as a new message";
    private static final List<String> END_REASONS =
            List.of("user_request", "timeout", "error", "completed");

    private final SessionService sessions;
    private final DeviceSessions deviceSessions;
    private final Repositories repositories;
    private final EventViews views;

    SessionRequestHandler(
            SessionService sessions,
            DeviceSessions deviceSessions,
            Repositories repositories,
            EventViews views) {
        this.sessions = sessions;
        this.deviceSessions = deviceSessions;
        this.repositories = repositories;
        this.views = views;
    }

    /**
     * A started or joined session, which the device follows from now on.
     *
     * @param ready the answer to the request
     * @param key the key of the stored request; empty for a joined session
     */
    record Started(SessionId id, GatewayFrame ready, Optional<String> key) {}

    /** Starts a session. A repetition on another connection returns the session of the first. */
    Started start(Device device, GatewayFrame frame, StartSession message, SentRequests sent) {
        var request = toCreateRequest(message, permissionMode(device, message.agent()));
        var frameId = frame.id();
        if (frameId == null) {
            return started(device, sessions.start(device.tenant(), request), Optional.empty());
        }
        var key = sent.key(sent.start(frameId, frame.payload().toString()));
        try {
            var session = sessions.start(device.tenant(), request, key);
            return started(device, session, Optional.of(key));
        } catch (RuntimeException e) {
            sent.failed(key);
            throw e;
        }
    }

    private Started started(Device device, Session session, Optional<String> key) {
        var id = new SessionId(session.id());
        return new Started(id, ready(deviceSessions.summarize(session), branch(device, id)), key);
    }

    Started join(Device device, SessionId id) {
        var terminal = deviceSessions.findTerminal(device.tenant(), id);
        if (terminal.isPresent()) {
            return new Started(id, ready(terminal.get(), branch(device, id)), Optional.empty());
        }
        var session = sessions.find(device.tenant(), id);
        boolean resumes = !session.status().equals("active") && !isReadOnly(device, session);
        if (resumes) {
            session = sessions.resume(device.tenant(), id);
        }
        return started(device, session, Optional.empty());
    }

    /**
     * A device without RUN joins without resuming; an ended session is always rejected by resume.
     */
    private static boolean isReadOnly(Device device, Session session) {
        return !device.identity().has(Scope.RUN) && !session.status().equals("ended");
    }

    /** A device that may not turn approvals off cannot start an engine that does not have them. */
    private PermissionMode permissionMode(Device device, String agent) {
        if (sessions.canAsk(device.tenant(), agent)) {
            return PermissionMode.ASK;
        }
        if (!device.identity().has(Scope.APPROVE)) {
            throw new ApiException(
                    ErrorCode.AGENT_UNUSABLE,
                    "\"%s\" runs tools without asking, and this device may not turn approvals off; start another agent, or pair the device with the scope approve"
                            .formatted(agent));
        }
        return PermissionMode.BYPASS_PERMISSIONS;
    }

    private static SessionApi.CreateSession toCreateRequest(
            StartSession message, PermissionMode mode) {
        return SessionApi.CreateSession.builder(message.agent())
                .model(message.model())
                .systemPrompt(message.systemPrompt())
                .permissionMode(mode.wire())
                .workingDirectory(message.workingDirectory())
                .build();
    }

    private static GatewayFrame ready(DeviceSessions.Summary session, String branch) {
        return GatewayFrame.of(
                "session_ready",
                JsonWriter.object()
                        .put("session_id", session.id())
                        .put("agent", session.agent())
                        .put("title", session.title())
                        .put("working_directory", session.directory())
                        .put("branch", branch)
                        .put("model", session.model())
                        .put("status", session.isTerminal() ? "read_only" : "ready"));
    }

    /** Empty if the directory is not a repository, or not accessible to sessions. */
    private String branch(Device device, SessionId id) {
        try {
            return repositories.branch(device.tenant(), id).orElse("");
        } catch (GitFailedException | ApiException e) {
            return "";
        }
    }

    /** Ends a session. Its log conveys the end and its reason to all devices. */
    void end(Device device, EndSession message) {
        var id = message.session();
        requireNotTerminal(device, id, "end it there");
        var reason = message.reason();
        if (!END_REASONS.contains(reason)) {
            throw ApiException.invalid("reason", "must be " + String.join(", ", END_REASONS));
        }
        sessions.end(device.tenant(), id, reason);
    }

    private void requireNotTerminal(Device device, SessionId id, String instead) {
        if (deviceSessions.findTerminal(device.tenant(), id).isPresent()) {
            throw new ApiException(
                    ErrorCode.SESSION_NOT_ACTIVE,
                    "This session runs in a terminal, outside Ash; " + instead);
        }
    }

    /**
     * Runs a prompt. An app that lost its connection may repeat it with the same id and content.
     */
    void prompt(
            Device device,
            GatewayFrame frame,
            Prompt message,
            Set<Capability> capabilities,
            SentRequests sent)
            throws MalformedJsonException {
        var session = message.session();
        requireNotTerminal(device, session, "type there");
        var content = content(message, capabilities);
        var id = frame.id();
        if (id == null) {
            sessions.sendPrompt(device.tenant(), session, content, TurnStatements.NONE);
            return;
        }
        var attachments = message.attachments().map(RawJson::toString).orElse("");
        var request = sent.message(session, id, message.content(), attachments);
        if (answerRepetition(frame, request, sent)) {
            return;
        }
        try {
            sessions.sendPrompt(device.tenant(), session, content, sent.storeWithTurn(request));
        } catch (ApiException e) {
            if (e.code() != ErrorCode.SESSION_BUSY || !answerRepetition(frame, request, sent)) {
                throw e;
            }
        }
    }

    /** Answers a message that was already received; returns false if it is new. */
    private static boolean answerRepetition(
            GatewayFrame frame, SentRequest request, SentRequests sent) {
        var first = sent.claim(request);
        first.ifPresent(
                id ->
                        sent.answer(
                                ErrorFrames.of(frame, GatewayError.DUPLICATE_MESSAGE, DUPLICATE),
                                id));
        return first.isPresent();
    }

    private static RawJson content(Prompt message, Set<Capability> capabilities)
            throws MalformedJsonException {
        var attached = message.attachments();
        return attached.isPresent() && capabilities.contains(Capability.ATTACHMENTS)
                ? Attachments.content(message.content(), JsonObject.elements(attached.get()))
                : RawJson.string(message.content());
    }

    GatewayFrame interrupt(Device device, SessionId id) {
        requireNotTerminal(device, id, "interrupt it there");
        boolean interrupted = sessions.interrupt(device.tenant(), id);
        return GatewayFrame.of(
                "interrupted",
                JsonWriter.object().put("session_id", id.value()).put("interrupted", interrupted));
    }

    GatewayFrame setPermissionMode(Device device, ChangePermissionMode message) {
        var id = message.session();
        var mode = message.mode();
        requireNotTerminal(device, id, "change it there");
        sessions.setPermissionMode(device.tenant(), id, mode);
        return GatewayFrame.of(
                "permission_mode_changed",
                JsonWriter.object().put("session_id", id.value()).put("mode", mode));
    }

    GatewayFrame history(Device device, ReadHistory message) {
        var id = message.session();
        sessions.find(device.tenant(), id);
        long after = Math.max(0, message.after());
        int limit = Math.clamp(message.limit().orElse(DEFAULT_PAGE_SIZE), 1, MAX_PAGE_SIZE);
        var page = new HistoryPage(id, after, limit);
        try {
            views.messages(device.tenant(), id, after, limit + 1, page);
        } catch (IOException e) {
            throw new UncheckedIOException(e); // cannot happen: the page is in memory
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ApiException(ErrorCode.SHUTTING_DOWN, "The server is shutting down");
        }
        return page.frame();
    }
}
