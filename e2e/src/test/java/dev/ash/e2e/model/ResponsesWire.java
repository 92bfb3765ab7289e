package dev.ash.e2e.model;

import dev.ash.e2e.model.ModelRequest.ToolResult;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** OpenAI's Responses API, whose conversations are in {@code input}. */
final class ResponsesWire implements ModelWire {
    @Override
    public boolean isTurn(ModelRequest request) {
        return true;
    }

    @Override
    public boolean wantsStream(ModelRequest request) {
        return request.body().path("stream").asBoolean(false);
    }

    @Override
    public String model(ModelRequest request) {
        return request.body().path("model").asString("scripted");
    }

    @Override
    public String system(JsonNode body) {
        var system = new StringBuilder(body.path("instructions").asString(""));
        for (var item : body.path("input")) {
            if (isDeveloper(item)) {
                system.append('\n').append(PromptText.all(item.path("content")));
            }
        }
        return system.toString();
    }

    private static boolean isDeveloper(JsonNode item) {
        return item.path("role").asString("").equals("developer");
    }

    @Override
    public String conversation(JsonNode body) {
        var all = new StringBuilder();
        for (var item : body.path("input")) {
            if (!isDeveloper(item)) {
                all.append('\n').append(PromptText.all(item.path("content")));
                all.append(PromptText.all(item.path("output")));
            }
        }
        return all.toString();
    }

    /** A model answer is a run of consecutive items of the model. */
    @Override
    public List<Entry> entries(JsonNode body) {
        var entries = new ArrayList<Entry>();
        boolean answering = false;
        for (var item : body.path("input")) {
            boolean model = isOfModel(item);
            if (model && !answering) {
                entries.add(Entry.ANSWER);
            }
            answering = model;
            if (item.path("role").asString("").equals("user")) {
                entries.add(Entry.prompt(PromptText.of(item.path("content"))));
            }
        }
        return entries;
    }

    private static boolean isOfModel(JsonNode item) {
        var type = item.path("type").asString("");
        return item.path("role").asString("").equals("assistant")
                || type.equals("function_call")
                || type.equals("reasoning");
    }

    @Override
    public List<ToolResult> toolResults(JsonNode body) {
        return body.path("input")
                .valueStream()
                .filter(item -> item.path("type").asString("").equals("function_call_output"))
                .map(item -> new ToolResult(PromptText.all(item.path("output")), false))
                .toList();
    }

    @Override
    public List<JsonNode> tools(JsonNode body) {
        return body.path("tools").valueStream().toList();
    }

    @Override
    public AnswerStream stream(HttpConnection connection, ModelRequest request, JsonMapper mapper) {
        return new ResponseStream(connection, mapper);
    }

    @Override
    public ObjectNode whole(WholeAnswer answer, JsonMapper mapper) {
        var response = mapper.createObjectNode().put("id", answer.id()).put("object", "response");
        response.put("model", answer.model()).put("status", "completed");
        var message = response.putArray("output").addObject();
        message.put("type", "message").put("role", "assistant").put("id", answer.id() + "_0");
        message.putArray("content")
                .addObject()
                .put("type", "output_text")
                .put("text", answer.text());
        ResponseStream.addUsage(response);
        return response;
    }

    @Override
    public ObjectNode error(int status, JsonMapper mapper) {
        return ModelWires.MESSAGES.error(status, mapper);
    }
}
