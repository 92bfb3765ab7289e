package dev.ash.server.event;

import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import dev.ash.protocol.notice.Notices;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The little that Ash reads of an engine's message: its kind, and its content blocks where it has
 * some. What does not look as expected is no error, only a message without highlights: the engine's
 * shapes are its own. Reading costs one pass; members are taken apart only when asked for.
 */
public final class EngineMessage {
    private final RawJson data;
    private final MessageScan scan;
    private @Nullable JsonObject json;

    private EngineMessage(RawJson data, MessageScan scan) {
        this.data = data;
        this.scan = scan;
    }

    /** Empty if it is no object: any JSON value may be a message; only objects have a kind. */
    public static Optional<EngineMessage> read(RawJson data) {
        return MessageScan.of(data).map(scan -> new EngineMessage(data, scan));
    }

    public String type() {
        return scan.type();
    }

    public RawJson data() {
        return data;
    }

    /** A piece of a message that follows whole: shown live, not kept. */
    public boolean isPartial() {
        return type().equals("stream_event");
    }

    /** Whether it is a row of {@code GET …/messages}. */
    public boolean isMessageRow() {
        return type().equals("assistant") || type().equals("result");
    }

    /** How many rows of {@code GET …/events} it stands for. */
    int eventRows() {
        return switch (type()) {
            case "assistant" -> count(List.of("text", "thinking", "tool_use"));
            case "user" -> count(List.of("tool_result"));
            case "result" -> 1;
            default -> 0;
        };
    }

    /** Whether frames may be derived from it; most messages have none, and need not be asked. */
    boolean mayHaveDerivedFrames() {
        return switch (type()) {
            case "assistant" -> count(List.of("text", "")) < scan.blocks().size();
            case "user" -> count(List.of("tool_result")) > 0;
            case "result", "stream_event" -> true;
            case "system" -> Notices.isSource(scan.subtype());
            default -> false;
        };
    }

    private int count(List<String> types) {
        int found = 0;
        for (var block : scan.blocks()) {
            found += types.contains(block) ? 1 : 0;
        }
        return found;
    }

    JsonObject json() throws MalformedJsonException {
        if (json == null) {
            json = JsonObject.parse(data);
        }
        return json;
    }

    /** The blocks of an assistant's or user's message; none if the content is a plain string. */
    List<JsonObject> blocks() throws MalformedJsonException {
        var blocks = new ArrayList<JsonObject>();
        if (!scan.blocks().isEmpty()) {
            var content = json().object("message").flatMap(message -> message.raw("content"));
            for (var element : JsonObject.elements(content.orElseThrow())) {
                blocks.add(JsonObject.parse(element));
            }
        }
        return blocks;
    }

    /** The delta of a {@code content_block_delta}, if this is one. */
    Optional<JsonObject> delta() throws MalformedJsonException {
        var event = json().object("event");
        return event.isPresent()
                        && event.get().string("type").orElse("").equals("content_block_delta")
                ? event.get().object("delta")
                : Optional.empty();
    }
}
