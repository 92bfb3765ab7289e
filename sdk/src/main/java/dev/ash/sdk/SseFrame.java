package dev.ash.sdk;

import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import dev.ash.protocol.notice.Notice;
import dev.ash.protocol.rest.Approval;
import dev.ash.protocol.rest.AshStreamEvent;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;

/**
 * An unparsed frame of an event stream. {@code data} is the content of its data lines; {@code id}
 * is null if the frame has none.
 */
public record SseFrame(String event, RawJson data, @Nullable String id) {

    /** Returns the event number in the session's log, or 0 if the frame is not logged. */
    public long number() {
        try {
            return id == null ? 0 : Long.parseLong(id);
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    /** Parses the frame; unknown types and unexpected data become {@code Unknown}. */
    public AshStreamEvent toEvent() {
        try {
            return switch (event) {
                case "message" -> new AshStreamEvent.Message(data, number()); // not parsed
                case "session_start" -> sessionStart(JsonObject.parse(data));
                case "text_delta" -> new AshStreamEvent.TextDelta(string("delta"));
                case "thinking_delta" -> new AshStreamEvent.ThinkingDelta(string("delta"));
                case "tool_use" -> toolUse(JsonObject.parse(data));
                case "tool_result" -> toolResult(JsonObject.parse(data));
                case "turn_complete" -> turnComplete(JsonObject.parse(data));
                case "error" -> new AshStreamEvent.Failed(string("error"), number());
                case "done" -> new AshStreamEvent.Done(string("sessionId"), number());
                case "approval_required" ->
                        new AshStreamEvent.ApprovalRequired(approval(), number());
                case "approval_resolved" ->
                        new AshStreamEvent.ApprovalResolved(approval(), number());
                case "notice" -> new AshStreamEvent.NoticeEvent(Notice.parse(data));
                case "prompt" -> prompt(JsonObject.parse(data));
                default -> new AshStreamEvent.Unknown(event, data);
            };
        } catch (MalformedJsonException | JacksonException e) {
            return new AshStreamEvent.Unknown(event, data);
        }
    }

    private String string(String name) throws MalformedJsonException {
        return JsonObject.parse(data).requireString(name);
    }

    private Approval approval() throws MalformedJsonException {
        var read = Json.read(data.toBytes(), Approval.class);
        var required = JsonObject.parse(data); // Json accepts absent fields; these are required
        required.requireString("id");
        required.requireString("tool");
        required.requireString("status");
        return read;
    }

    private AshStreamEvent prompt(JsonObject prompt) {
        return new AshStreamEvent.Prompt(prompt.raw("content").orElse(RawJson.NULL), number());
    }

    private static AshStreamEvent sessionStart(JsonObject start) throws MalformedJsonException {
        return new AshStreamEvent.SessionStart(
                start.requireString("sessionId"), start.string("version").orElse(""));
    }

    private static AshStreamEvent toolUse(JsonObject use) throws MalformedJsonException {
        return new AshStreamEvent.ToolUse(
                use.requireString("id"),
                use.requireString("name"),
                use.raw("input").orElse(RawJson.EMPTY_OBJECT));
    }

    private static AshStreamEvent toolResult(JsonObject result) throws MalformedJsonException {
        return new AshStreamEvent.ToolResult(
                result.requireString("tool_use_id"),
                result.raw("content").orElse(null),
                result.isTrue("is_error"));
    }

    private static AshStreamEvent turnComplete(JsonObject turn) throws MalformedJsonException {
        return new AshStreamEvent.TurnComplete(
                turn.number("numTurns").orElse(0), turn.string("result").orElse(null));
    }
}
