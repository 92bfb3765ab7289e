package dev.ash.server.gateway;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.gateway.GatewayFrame;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import dev.ash.server.hooks.PendingCalls;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Optional;
import java.util.Set;

/**
 * Maps the hooks of a terminal to frames: each to a {@code claude_event}, the end of a tool call
 * also to a {@code tool_result}, and a notification to a {@code notification}.
 */
final class HookFrameMapper {
    private static final Set<String> PRIORITIES = Set.of("low", "normal", "high");

    private final SessionId session;
    private final PendingCalls calls = new PendingCalls();
    private String directory = ""; // the working directory in the last hook that has one

    HookFrameMapper(SessionId session) {
        this.session = session;
    }

    /** Records the call of an approval, so that its result gets the same call id. */
    void approvalRequired(JsonObject approval) throws MalformedJsonException {
        calls.start(
                ApprovalFrames.callId(approval),
                approval.string("tool").orElse(""),
                approval.raw("input").orElse(RawJson.EMPTY_OBJECT));
    }

    /** Maps a hook that was received at {@code receivedAt}, and returns its name. */
    String map(JsonObject body, long receivedAt, FrameCollector frames)
            throws MalformedJsonException {
        var name = body.string("hook_event_name");
        var event = name.isPresent() ? name : body.string("event_type");
        var type = (event.isPresent() ? event : body.string("event")).orElse("Unknown");
        var fields = HookFields.of(body);
        directory = fields.directory().orElse(directory);
        frames.add(
                GatewayFrame.of(
                        "claude_event",
                        JsonWriter.object()
                                .put("event_type", type)
                                .put("session_id", session.value())
                                .put(
                                        "timestamp",
                                        time(body)
                                                .orElse(Instant.ofEpochMilli(receivedAt))
                                                .toString())
                                .put("payload", HookPayload.of(body))));
        switch (type) {
            case "PreToolUse" -> callBegun(fields);
            case "PostToolUse", "PostToolUseFailure" -> result(fields, type, frames);
            case "Notification" -> notification(fields, frames);
            default -> {}
        }
        return type;
    }

    /** Returns the timestamp of the forwarder; Claude Code sends none. */
    private static Optional<Instant> time(JsonObject body) {
        try {
            return body.string("timestamp").map(text -> OffsetDateTime.parse(text).toInstant());
        } catch (DateTimeException | MalformedJsonException e) {
            return Optional.empty();
        }
    }

    private void callBegun(HookFields fields) {
        fields.callId().ifPresent(id -> calls.start(id, fields.tool(), fields.input()));
    }

    private void result(HookFields fields, String type, FrameCollector frames)
            throws MalformedJsonException {
        var callId = fields.callId();
        callId.ifPresent(calls::finish);
        var id = callId.isPresent() ? callId : calls.finish(fields.tool(), fields.input());
        frames.add(
                GatewayFrame.of(
                        "tool_result",
                        JsonWriter.object()
                                .put("session_id", session.value())
                                .put("tool_call_id", id.orElse(frames.nextId()))
                                .put("tool", fields.tool())
                                .put("result", fields.result(type.equals("PostToolUse")))));
    }

    private void notification(HookFields fields, FrameCollector frames) {
        var kind = fields.text("notification_type").orElse("info");
        boolean isPrompt = kind.equals("permission_prompt"); // the name in Claude Code
        var id = frames.nextId();
        var payload =
                JsonWriter.object()
                        .put("notification_id", id)
                        .put("session_id", session.value())
                        .put("notification_type", isPrompt ? "approval_required" : kind)
                        .put("title", fields.text("title").orElseGet(this::title))
                        .put(
                                "body",
                                fields.text("message").or(() -> fields.text("body")).orElse(""))
                        .put(
                                "priority",
                                fields.text("priority")
                                        .filter(PRIORITIES::contains)
                                        .orElse(isPrompt ? "high" : "normal"));
        payload.name("data").open('{').put("screen", "session").close('}');
        frames.add(GatewayFrame.of("notification", payload).withId(id));
    }

    private String title() {
        var path = directory.replaceAll("/+$", "");
        var name = path.substring(path.lastIndexOf('/') + 1);
        return name.isEmpty() ? "Claude Code" : "Claude Code in " + ToolTexts.shorten(name);
    }
}
