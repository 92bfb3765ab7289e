package dev.ash.e2e.model;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Collects one model answer and sends it as a single JSON object. Not thread-safe. */
final class WholeAnswer implements AnswerStream {
    /** A tool call of the model. */
    record Call(String id, String name, JsonNode input) {}

    private final HttpConnection connection;
    private final ModelWire wire;
    private final JsonMapper mapper;
    private final StringBuilder text = new StringBuilder();
    private final List<Call> calls = new ArrayList<>();
    private String id = "";
    private String model = "";
    private String stopReason = "";

    WholeAnswer(HttpConnection connection, ModelWire wire, JsonMapper mapper) {
        this.connection = connection;
        this.wire = wire;
        this.mapper = mapper;
    }

    @Override
    public void begin(String id, String model) {
        this.id = id;
        this.model = model;
    }

    @Override
    public void beginText() {}

    @Override
    public void text(String piece) {
        text.append(piece);
    }

    @Override
    public void endBlock() {}

    @Override
    public void toolUse(String callId, String name, JsonNode input) {
        calls.add(new Call(callId, name, input));
    }

    @Override
    public void end(String stopReason) throws IOException {
        this.stopReason = stopReason;
        var body = mapper.writeValueAsString(wire.whole(this, mapper));
        connection.answer(200, "application/json", body, Map.of());
    }

    String id() {
        return id;
    }

    String model() {
        return model;
    }

    String text() {
        return text.toString();
    }

    List<Call> calls() {
        return calls;
    }

    String stopReason() {
        return stopReason;
    }
}
