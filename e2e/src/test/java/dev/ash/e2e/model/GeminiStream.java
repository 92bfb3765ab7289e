package dev.ash.e2e.model;

import java.io.IOException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Writes one model answer as the events of {@code streamGenerateContent}. Not thread-safe. */
final class GeminiStream implements AnswerStream {
    private final HttpConnection connection;
    private final JsonMapper mapper;
    private String id = "";
    private String model = "";

    GeminiStream(HttpConnection connection, JsonMapper mapper) {
        this.connection = connection;
        this.mapper = mapper;
    }

    @Override
    public void begin(String id, String model) throws IOException {
        this.id = id;
        this.model = model;
        connection.beginStream();
    }

    @Override
    public void beginText() {}

    @Override
    public void text(String piece) throws IOException {
        send(response(mapper.createObjectNode().put("text", piece)));
    }

    @Override
    public void endBlock() {}

    /** The API identifies calls by their position. */
    @Override
    public void toolUse(String callId, String name, JsonNode input) throws IOException {
        var part = mapper.createObjectNode();
        part.putObject("functionCall").put("name", name).set("args", input);
        send(response(part));
    }

    @Override
    public void end(String stopReason) throws IOException {
        var last = response(mapper.createObjectNode().put("text", ""));
        var candidate = (ObjectNode) last.path("candidates").get(0);
        candidate.put("finishReason", GeminiWire.finishReason(stopReason));
        GeminiWire.addUsage(last);
        send(last);
        connection.endStream();
    }

    private ObjectNode response(ObjectNode part) {
        var response = mapper.createObjectNode();
        var candidate = response.putArray("candidates").addObject().put("index", 0);
        candidate.putObject("content").put("role", "model").putArray("parts").add(part);
        return response.put("modelVersion", model).put("responseId", id);
    }

    private void send(ObjectNode response) throws IOException {
        connection.stream("data: " + mapper.writeValueAsString(response) + "\r\n\r\n");
    }
}
