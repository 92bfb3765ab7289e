package dev.ash.server.event;

import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The little that Ash reads of an engine's message: its kind, and its content blocks where it has
 * some. What does not look as expected is no error, only a message without highlights: the engine's
 * shapes are its own.
 */
public final class EngineMessage {
    private final JsonObject json;
    private final String type;

    private EngineMessage(JsonObject json, String type) {
        this.json = json;
        this.type = type;
    }

    public static Optional<EngineMessage> read(RawJson data) {
        try {
            var json = JsonObject.parse(data);
            return Optional.of(new EngineMessage(json, json.string("type").orElse("")));
        } catch (MalformedJsonException e) {
            return Optional.empty(); // any JSON value may be a message; only objects have a kind
        }
    }

    public String type() {
        return type;
    }

    /** A piece of a message that follows whole: shown live, not kept. */
    public boolean isHint() {
        return type.equals("stream_event");
    }

    /** Whether it is a row of {@code GET …/messages}. */
    public boolean isMessageRow() {
        return type.equals("assistant") || type.equals("result");
    }

    JsonObject json() {
        return json;
    }

    /** The blocks of an assistant's or user's message; none if the content is a plain string. */
    List<JsonObject> blocks() {
        var blocks = new ArrayList<JsonObject>();
        try {
            var content = json.object("message").flatMap(message -> message.raw("content"));
            if (content.isPresent() && content.get().byteAt(0) == '[') {
                for (var element : JsonObject.elements(content.get())) {
                    blocks.add(JsonObject.parse(element));
                }
            }
        } catch (MalformedJsonException e) {
            return List.of();
        }
        return blocks;
    }

    /** The delta of a {@code content_block_delta}, if this is one. */
    Optional<JsonObject> delta() throws MalformedJsonException {
        var event = json.object("event");
        return event.isPresent()
                        && event.get().string("type").orElse("").equals("content_block_delta")
                ? event.get().object("delta")
                : Optional.empty();
    }
}
