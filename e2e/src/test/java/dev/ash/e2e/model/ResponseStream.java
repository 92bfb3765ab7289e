package dev.ash.e2e.model;

import java.io.IOException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Writes one model answer as the events of the Responses API. Not thread-safe. */
final class ResponseStream implements AnswerStream {
    private final HttpConnection connection;
    private final JsonMapper mapper;
    private final StringBuilder text = new StringBuilder();
    private String id = "";
    private String model = "";
    private int items;

    ResponseStream(HttpConnection connection, JsonMapper mapper) {
        this.connection = connection;
        this.mapper = mapper;
    }

    @Override
    public void begin(String id, String model) throws IOException {
        this.id = id;
        this.model = model;
        connection.beginStream();
        send("response.created", withResponse("in_progress"));
    }

    private ObjectNode withResponse(String status) {
        var event = mapper.createObjectNode();
        event.putObject("response").put("id", id).put("model", model).put("status", status);
        return event;
    }

    private ObjectNode message() {
        var item = mapper.createObjectNode().put("type", "message").put("role", "assistant");
        return item.put("id", id + "_" + items);
    }

    @Override
    public void beginText() throws IOException {
        text.setLength(0);
        var event = mapper.createObjectNode().put("output_index", items);
        var item = message();
        item.putArray("content");
        event.set("item", item);
        send("response.output_item.added", event);
    }

    @Override
    public void text(String piece) throws IOException {
        text.append(piece);
        var event = mapper.createObjectNode().put("item_id", id + "_" + items);
        event.put("output_index", items).put("content_index", 0).put("delta", piece);
        send("response.output_text.delta", event);
    }

    @Override
    public void endBlock() throws IOException {
        var item = message();
        item.putArray("content")
                .addObject()
                .put("type", "output_text")
                .put("text", text.toString());
        done(item);
    }

    /** Names a tool of an MCP server {@code mcp__server/tool}. */
    @Override
    public void toolUse(String callId, String name, JsonNode input) throws IOException {
        var item = mapper.createObjectNode().put("type", "function_call").put("id", "fc_" + callId);
        int slash = name.indexOf('/');
        if (slash >= 0) {
            item.put("namespace", name.substring(0, slash));
        }
        item.put("call_id", callId).put("name", name.substring(slash + 1));
        done(item.put("arguments", mapper.writeValueAsString(input)));
    }

    private void done(ObjectNode item) throws IOException {
        var event = mapper.createObjectNode().put("output_index", items++);
        event.set("item", item);
        send("response.output_item.done", event);
    }

    @Override
    public void end(String stopReason) throws IOException {
        var event = withResponse("completed");
        addUsage((ObjectNode) event.path("response"));
        send("response.completed", event);
        connection.endStream();
    }

    static void addUsage(ObjectNode response) {
        var usage = response.putObject("usage");
        usage.put("input_tokens", 10).putObject("input_tokens_details").put("cached_tokens", 4);
        usage.put("output_tokens", 5).putObject("output_tokens_details").put("reasoning_tokens", 0);
        usage.put("total_tokens", 15);
    }

    private void send(String type, ObjectNode event) throws IOException {
        var typed = mapper.createObjectNode().put("type", type);
        typed.setAll(event);
        connection.stream(
                "event: " + type + "\ndata: " + mapper.writeValueAsString(typed) + "\n\n");
    }
}
