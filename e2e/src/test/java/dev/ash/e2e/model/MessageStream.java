package dev.ash.e2e.model;

import java.io.IOException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Writes one model answer as the events of the Messages API. Not thread-safe. */
final class MessageStream implements AnswerStream {
    private final HttpConnection connection;
    private final JsonMapper mapper;
    private int block = -1;

    MessageStream(HttpConnection connection, JsonMapper mapper) {
        this.connection = connection;
        this.mapper = mapper;
    }

    @Override
    public void begin(String id, String model) throws IOException {
        connection.beginStream();
        var event = mapper.createObjectNode();
        var message = event.putObject("message");
        message.put("id", id).put("type", "message").put("role", "assistant").put("model", model);
        message.putArray("content");
        message.putNull("stop_reason").putNull("stop_sequence");
        message.putObject("usage").put("input_tokens", 10).put("output_tokens", 1);
        send("message_start", event);
    }

    @Override
    public void beginText() throws IOException {
        var event = mapper.createObjectNode().put("index", ++block);
        event.putObject("content_block").put("type", "text").put("text", "");
        send("content_block_start", event);
    }

    @Override
    public void text(String piece) throws IOException {
        var event = mapper.createObjectNode().put("index", block);
        event.putObject("delta").put("type", "text_delta").put("text", piece);
        send("content_block_delta", event);
    }

    @Override
    public void endBlock() throws IOException {
        send("content_block_stop", mapper.createObjectNode().put("index", block));
    }

    @Override
    public void toolUse(String id, String name, JsonNode input) throws IOException {
        var start = mapper.createObjectNode().put("index", ++block);
        var content = start.putObject("content_block");
        content.put("type", "tool_use").put("id", id).put("name", name).putObject("input");
        send("content_block_start", start);
        var delta = mapper.createObjectNode().put("index", block);
        delta.putObject("delta")
                .put("type", "input_json_delta")
                .put("partial_json", mapper.writeValueAsString(input));
        send("content_block_delta", delta);
        endBlock();
    }

    @Override
    public void end(String stopReason) throws IOException {
        var event = mapper.createObjectNode();
        event.putObject("delta").put("stop_reason", stopReason).putNull("stop_sequence");
        event.putObject("usage").put("output_tokens", 5);
        send("message_delta", event);
        send("message_stop", mapper.createObjectNode());
        connection.endStream();
    }

    private void send(String type, ObjectNode event) throws IOException {
        event.put("type", type);
        connection.stream(
                "event: " + type + "\ndata: " + mapper.writeValueAsString(event) + "\n\n");
    }
}
