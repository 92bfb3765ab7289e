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
 * A message of an engine, with the parts that Ash interprets: its type and its content blocks. A
 * message of an unexpected shape is not an error; it only has no derived frames, since engines
 * define their own shapes. Reading takes one pass; members are parsed on demand.
 */
public final class EngineMessage {
    private final RawJson data;
    private final MessageScan scan;
    private @Nullable JsonObject json;

    private EngineMessage(RawJson data, MessageScan scan) {
        this.data = data;
        this.scan = scan;
    }

    /** Returns empty if the message is not a JSON object: only objects have a type. */
    public static Optional<EngineMessage> read(RawJson data) {
        return MessageScan.of(data).map(scan -> new EngineMessage(data, scan));
    }

    public String type() {
        return scan.type();
    }

    public RawJson data() {
        return data;
    }

    /** Whether it is a part of a message that follows completely: published, but not stored. */
    public boolean isPartial() {
        return type().equals("stream_event");
    }

    /** Whether it is a row of {@code GET …/messages}. */
    public boolean isMessageRow() {
        return type().equals("assistant") || type().equals("result");
    }

    /** Returns the number of rows of {@code GET …/events} that it results in. */
    int eventRows() {
        return switch (type()) {
            case "assistant" -> count(List.of("text", "thinking", "tool_use"));
            case "user" -> count(List.of("tool_result"));
            case "result" -> 1;
            default -> 0;
        };
    }

    /** Whether frames may be derived from it; a cheap check that excludes most messages. */
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

    /** Returns the blocks of an assistant or user message; none if its content is a string. */
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

    /** Returns the delta of a {@code content_block_delta} event. */
    Optional<JsonObject> delta() throws MalformedJsonException {
        var event = json().object("event");
        return event.isPresent()
                        && event.get().string("type").orElse("").equals("content_block_delta")
                ? event.get().object("delta")
                : Optional.empty();
    }
}
