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
    private String folder = ""; // where the terminal works, as the last hook that says it says

    HookFrameMapper(SessionId session) {
        this.session = session;
    }

    /** A question of the terminal: the result of its call has the id that the question has. */
    void asked(JsonObject approval) throws MalformedJsonException {
        calls.begun(
                ApprovalTexts.callId(approval),
                approval.string("tool").orElse(""),
                approval.raw("input").orElse(RawJson.EMPTY_OBJECT));
    }

    /** {@code at} is when the event came; returns its name. */
    String map(JsonObject body, long at, FrameCollector frames) throws MalformedJsonException {
        var name = body.string("hook_event_name");
        var event = name.isPresent() ? name : body.string("event_type");
        var type = (event.isPresent() ? event : body.string("event")).orElse("Unknown");
        var fields = HookFields.of(body);
        folder = fields.folder().orElse(folder);
        frames.add(
                GatewayFrame.of(
                        "claude_event",
                        JsonWriter.object()
                                .put("event_type", type)
                                .put("session_id", session.value())
                                .put(
                                        "timestamp",
                                        time(body).orElse(Instant.ofEpochMilli(at)).toString())
                                .put("payload", HookTexts.payload(body))));
        switch (type) {
            case "PreToolUse" -> begun(fields);
            case "PostToolUse", "PostToolUseFailure" -> result(fields, type, frames);
            case "Notification" -> notification(fields, frames);
            default -> {}
        }
        return type;
    }

    /** When it happened, as the forwarder says; Claude Code does not. */
    private static Optional<Instant> time(JsonObject body) {
        try {
            return body.string("timestamp").map(text -> OffsetDateTime.parse(text).toInstant());
        } catch (DateTimeException | MalformedJsonException e) {
            return Optional.empty();
        }
    }

    private void begun(HookFields fields) {
        fields.callId().ifPresent(id -> calls.begun(id, fields.tool(), fields.input()));
    }

    private void result(HookFields fields, String type, FrameCollector frames)
            throws MalformedJsonException {
        var own = fields.callId();
        own.ifPresent(calls::ended);
        var id = own.isPresent() ? own : calls.ended(fields.tool(), fields.input());
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
        boolean isPrompt = kind.equals("permission_prompt"); // Claude Code's name for it
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
        var path = folder.replaceAll("/+$", "");
        var name = path.substring(path.lastIndexOf('/') + 1);
        return name.isEmpty() ? "Claude Code" : "Claude Code in " + ToolTexts.shortened(name);
    }
}
