package dev.ash.server.event;

import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import dev.ash.protocol.notice.Notice;
import dev.ash.protocol.notice.Notices;
import java.util.ArrayList;
import java.util.List;

/**
 * Derives frames from an engine's message, which are sent before it, for clients that need text and
 * tools but not the message formats of engines. A pure function, so a replay derives the same
 * frames.
 */
public final class DerivedFrames {
    /** A derived frame. */
    public record Frame(String event, RawJson data) {}

    public static List<Frame> of(RawJson data) {
        var message = EngineMessage.read(data);
        if (message.isEmpty()) {
            return List.of();
        }
        try {
            return of(message.get());
        } catch (MalformedJsonException e) {
            return List.of(); // an unknown shape: only the message itself is sent
        }
    }

    private static List<Frame> of(EngineMessage message) throws MalformedJsonException {
        return switch (message.type()) {
            case "stream_event" -> ofDelta(message);
            case "assistant" -> ofAssistant(message);
            case "user" -> ofToolResults(message);
            case "result" -> List.of(new Frame("turn_complete", turnComplete(message.json())));
            case "system" ->
                    Notices.ofSystemMessage(message.json()).stream()
                            .map(DerivedFrames::of)
                            .toList();
            default -> List.of();
        };
    }

    /** Returns the frame of a notice. */
    public static Frame of(Notice notice) {
        return new Frame("notice", notice.toJson());
    }

    private static List<Frame> ofDelta(EngineMessage message) throws MalformedJsonException {
        var delta = message.delta();
        if (delta.isEmpty()) {
            return List.of();
        }
        var kind = delta.get().string("type").orElse("");
        return switch (kind) {
            case "text_delta" -> List.of(delta(kind, delta.get().raw("text")));
            case "thinking_delta" -> List.of(delta(kind, delta.get().raw("thinking")));
            case "" -> List.of();
            default -> {
                var event = message.json().object("event").orElseThrow();
                yield isEventName(kind)
                        ? List.of(new Frame(kind, event.raw("delta").orElse(RawJson.NULL)))
                        : List.of();
            }
        };
    }

    private static Frame delta(String event, java.util.Optional<RawJson> text) {
        return new Frame(
                event, JsonWriter.object().put("delta", text.orElse(RawJson.string(""))).end());
    }

    private static List<Frame> ofAssistant(EngineMessage message) throws MalformedJsonException {
        var frames = new ArrayList<Frame>();
        for (var block : message.blocks()) {
            var kind = block.string("type").orElse("");
            switch (kind) {
                case "text", "" -> {}
                case "tool_use" ->
                        frames.add(
                                new Frame(
                                        "tool_use",
                                        JsonWriter.object()
                                                .put("id", block.raw("id").orElse(RawJson.NULL))
                                                .put("name", block.raw("name").orElse(RawJson.NULL))
                                                .put(
                                                        "input",
                                                        block.raw("input").orElse(RawJson.NULL))
                                                .end()));
                case "thinking" -> frames.add(delta("thinking_delta", block.raw("thinking")));
                default -> {
                    if (isEventName(kind)) {
                        frames.add(new Frame(kind, copy(block)));
                    }
                }
            }
        }
        return frames;
    }

    private static List<Frame> ofToolResults(EngineMessage message) throws MalformedJsonException {
        var frames = new ArrayList<Frame>();
        for (var block : message.blocks()) {
            if (block.string("type").orElse("").equals("tool_result")) {
                var content = ToolOutput.of(message.json(), block);
                frames.add(
                        new Frame(
                                "tool_result",
                                JsonWriter.object()
                                        .put(
                                                "tool_use_id",
                                                block.raw("tool_use_id").orElse(RawJson.NULL))
                                        .put("content", content.stdout())
                                        .put("is_error", block.isTrue("is_error"))
                                        .end()));
            }
        }
        return frames;
    }

    static RawJson turnComplete(JsonObject result) {
        return JsonWriter.object()
                .put("numTurns", result.raw("num_turns").orElse(RawJson.of("0")))
                .put("result", result.raw("result").orElse(RawJson.NULL))
                .end();
    }

    private static RawJson copy(JsonObject block) {
        var json = JsonWriter.object();
        block.names().forEach(name -> json.put(name, block.raw(name).orElse(RawJson.NULL)));
        return json.end();
    }

    /** Engines choose these names; a line break or colon would corrupt the event stream. */
    private static boolean isEventName(String kind) {
        return kind.chars()
                .allMatch(c -> c == '_' || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'));
    }

    private DerivedFrames() {}
}
