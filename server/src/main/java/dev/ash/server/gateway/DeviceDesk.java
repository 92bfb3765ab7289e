package dev.ash.server.gateway;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.gateway.GatewayFrame;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import dev.ash.protocol.rest.ApprovalApi;
import dev.ash.protocol.rest.Session;
import dev.ash.server.approval.ApprovalId;
import dev.ash.server.approval.Approvals;
import dev.ash.server.device.Cursors;
import dev.ash.server.device.Device;
import dev.ash.server.event.SessionEvents;
import dev.ash.server.session.SessionDoor;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Serves one connection of a device: its requests, and the sessions that it follows, each from
 * where the device last confirmed it.
 */
final class DeviceDesk implements DeviceConnection.Desk {
    private final Device device;
    private final DeviceLink link;
    private final Services services;
    private final Confirmations confirmations;
    private final Map<SessionId, Following> followings = new ConcurrentHashMap<>();
    private boolean closed;

    /** What the desks of all devices share. */
    record Services(
            SessionDoor sessions,
            SessionEvents events,
            Cursors cursors,
            Approvals approvals,
            SessionStarts starts,
            GitMessages git,
            FileMessages files) {}

    DeviceDesk(Device device, DeviceLink link, Services services) {
        this.device = device;
        this.link = link;
        this.services = services;
        this.confirmations =
                new Confirmations(
                        link::ping, seen -> services.cursors().advance(device.id(), seen));
        services.cursors().all(device.id()).forEach(this::follow);
    }

    private synchronized void follow(SessionId session, long after) {
        if (!closed) {
            followings.computeIfAbsent(
                    session,
                    _ ->
                            new Following(
                                    session,
                                    services.events().watch(session, after),
                                    link::send,
                                    confirmations));
        }
    }

    /** Requests that take a sandbox's time must not hold up the heartbeats behind them. */
    @Override
    public void take(GatewayFrame frame) {
        Thread.ofVirtual().name("gateway-request").start(() -> serve(frame));
    }

    private void serve(GatewayFrame frame) {
        try {
            var answer = answer(frame, frame.fields());
            if (answer != null) {
                link.send(answer.withId(frame.id()));
            }
        } catch (MalformedJsonException | RuntimeException e) {
            link.send(ErrorFrames.of(frame, e));
        }
    }

    private @Nullable GatewayFrame answer(GatewayFrame frame, JsonObject fields)
            throws MalformedJsonException {
        return switch (frame.type()) {
            case "session_start" -> start(fields);
            case "session_end" -> end(fields);
            case "message" -> prompt(frame, fields);
            case "approval_response" -> decide(frame, fields);
            case "git_status_request" -> services.git().status(device, session(fields));
            case "git_commit" -> services.git().commit(device, session(fields), fields);
            case "git_diff" -> services.git().diff(device, session(fields), fields);
            case "file_list" -> services.files().list(device, session(fields), fields);
            case "file_read" -> services.files().read(device, session(fields), fields);
            case "notification_ack" -> null;
            default ->
                    ErrorFrames.of(
                            frame.id(),
                            GatewayError.BRIDGE_ERROR,
                            "There is no message type \"%s\"".formatted(frame.type()));
        };
    }

    private static SessionId session(JsonObject fields) throws MalformedJsonException {
        return new SessionId(fields.requireString("session_id"));
    }

    private GatewayFrame start(JsonObject fields) throws MalformedJsonException {
        Session session;
        long after = 0;
        if (fields.isTrue("resume")) {
            var id = session(fields);
            session = services.starts().resume(device, id);
            after = services.cursors().of(device.id(), id);
        } else {
            session = services.starts().start(device, fields);
        }
        var id = new SessionId(session.id());
        services.cursors().advance(device.id(), Map.of(id, after));
        follow(id, after);
        return GatewayFrame.of(
                "session_ready",
                JsonWriter.object()
                        .put("session_id", session.id())
                        .put("agent", session.agentName())
                        .put("working_directory", session.workingDirectory())
                        .put("branch", services.starts().branch(device, id))
                        .put("model", session.model())
                        .put("status", "ready"));
    }

    private GatewayFrame end(JsonObject fields) throws MalformedJsonException {
        var session = session(fields);
        services.sessions().end(device.tenant(), session);
        return GatewayFrame.of(
                "session_end",
                JsonWriter.object()
                        .put("session_id", session.value())
                        .put("reason", fields.string("reason").orElse("user_request")));
    }

    /** An app sends what it could not send before again, under the same id. */
    private @Nullable GatewayFrame prompt(GatewayFrame frame, JsonObject fields)
            throws MalformedJsonException {
        var session = session(fields);
        var id = frame.id() == null ? UUID.randomUUID().toString() : frame.id();
        services.sessions()
                .prompt(
                        device.tenant(),
                        session,
                        fields.requireString("content"),
                        device.id() + "/" + id);
        return null;
    }

    private @Nullable GatewayFrame decide(GatewayFrame frame, JsonObject fields)
            throws MalformedJsonException {
        var call = fields.requireString("tool_call_id");
        var open =
                services.approvals().pending(device.tenant(), session(fields)).stream()
                        .filter(each -> call.equals(each.toolUseId()) || call.equals(each.id()))
                        .findFirst();
        if (open.isEmpty()) {
            return ErrorFrames.of(
                    frame.id(),
                    GatewayError.TOOL_ERROR,
                    "No question about the call %s is open; it may have been answered"
                            .formatted(call));
        }
        var decision = fields.requireString("decision");
        var modifications = fields.raw("modifications").filter(raw -> !raw.equals(RawJson.NULL));
        if (decision.equals("modified") && modifications.isEmpty()) {
            return ErrorFrames.of(
                    frame.id(),
                    GatewayError.TOOL_ERROR,
                    "modified needs modifications: all the params that the tool is to be called with");
        }
        services.approvals()
                .decide(
                        device.tenant(),
                        new ApprovalId(open.get().id()),
                        new ApprovalApi.Decide(
                                decision,
                                decision.equals("modified") ? modifications.orElse(null) : null,
                                fields.string("message").orElse(null),
                                fields.string("scope").orElse(null)),
                        "device:" + device.name());
        return null;
    }

    @Override
    public void pong(long number) {
        confirmations.pong(number);
    }

    @Override
    public synchronized void close() {
        closed = true;
        followings.values().forEach(Following::close);
        followings.clear();
    }
}
