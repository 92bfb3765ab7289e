package dev.ash.e2e.model;

import java.io.IOException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Writes one model answer as the chunks of the Chat Completions API. Not thread-safe. */
final class ChatStream implements AnswerStream {
    private final HttpConnection connection;
    private final boolean reportsUsage;
    private final JsonMapper mapper;
    private String id = "";
    private String model = "";
    private int calls;

    ChatStream(HttpConnection connection, boolean reportsUsage, JsonMapper mapper) {
        this.connection = connection;
        this.reportsUsage = reportsUsage;
        this.mapper = mapper;
    }

    @Override
    public void begin(String id, String model) throws IOException {
        this.id = id;
        this.model = model;
        connection.beginStream();
        send(choice(mapper.createObjectNode().put("role", "assistant").put("content", ""), null));
    }

    @Override
    public void beginText() {}

    @Override
    public void text(String piece) throws IOException {
        send(choice(mapper.createObjectNode().put("content", piece), null));
    }

    @Override
    public void endBlock() {}

    /** The arguments follow the name in a chunk of their own. */
    @Override
    public void toolUse(String callId, String name, JsonNode input) throws IOException {
        var start = mapper.createObjectNode();
        var call = call(start).put("id", callId).put("type", "function");
        call.putObject("function").put("name", name).put("arguments", "");
        send(choice(start, null));
        var rest = mapper.createObjectNode();
        call(rest).putObject("function").put("arguments", mapper.writeValueAsString(input));
        send(choice(rest, null));
        calls++;
    }

    private ObjectNode call(ObjectNode delta) {
        return delta.putArray("tool_calls").addObject().put("index", calls);
    }

    @Override
    public void end(String stopReason) throws IOException {
        send(choice(mapper.createObjectNode(), ChatWire.finishReason(stopReason)));
        if (reportsUsage) {
            var usage = chunk();
            usage.putArray("choices");
            ChatWire.addUsage(usage);
            send(usage);
        }
        connection.stream("data: [DONE]\n\n");
        connection.endStream();
    }

    private ObjectNode chunk() {
        var chunk = mapper.createObjectNode().put("id", id).put("object", "chat.completion.chunk");
        return chunk.put("created", 1).put("model", model);
    }

    private ObjectNode choice(ObjectNode delta, String finishReason) {
        var chunk = chunk();
        var choice = chunk.putArray("choices").addObject().put("index", 0);
        choice.set("delta", delta);
        choice.put("finish_reason", finishReason);
        return chunk;
    }

    private void send(ObjectNode chunk) throws IOException {
        connection.stream("data: " + mapper.writeValueAsString(chunk) + "\n\n");
    }
}
