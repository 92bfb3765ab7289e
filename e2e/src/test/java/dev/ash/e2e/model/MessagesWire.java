package dev.ash.e2e.model;

import dev.ash.e2e.model.ModelRequest.ToolResult;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Anthropic's Messages API. */
final class MessagesWire implements ModelWire {
    @Override
    public boolean isTurn(ModelRequest request) {
        return !request.path().contains("count_tokens")
                && !request.body().path("tools").isEmpty()
                && request.body().path("max_tokens").asInt(0) > 1;
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
        return PromptText.all(body.path("system"));
    }

    @Override
    public String conversation(JsonNode body) {
        var all = new StringBuilder();
        for (var message : body.path("messages")) {
            all.append('\n').append(PromptText.all(message.path("content")));
        }
        return all.toString();
    }

    @Override
    public List<Entry> entries(JsonNode body) {
        return body.path("messages").valueStream().map(MessagesWire::entry).toList();
    }

    private static Entry entry(JsonNode message) {
        return switch (message.path("role").asString("")) {
            case "assistant" -> Entry.ANSWER;
            case "user" -> Entry.prompt(PromptText.of(message.path("content")));
            default -> Entry.OTHER;
        };
    }

    @Override
    public List<ToolResult> toolResults(JsonNode body) {
        var results = new ArrayList<ToolResult>();
        for (var message : body.path("messages")) {
            for (var block : message.path("content")) {
                if (block.path("type").asString("").equals("tool_result")) {
                    results.add(
                            new ToolResult(
                                    PromptText.all(block.path("content")),
                                    block.path("is_error").asBoolean(false)));
                }
            }
        }
        return results;
    }

    @Override
    public List<JsonNode> tools(JsonNode body) {
        return body.path("tools").valueStream().toList();
    }

    @Override
    public AnswerStream stream(HttpConnection connection, ModelRequest request, JsonMapper mapper) {
        return new MessageStream(connection, mapper);
    }

    @Override
    public ObjectNode whole(WholeAnswer answer, JsonMapper mapper) {
        var message = mapper.createObjectNode();
        message.put("id", answer.id()).put("type", "message");
        message.put("role", "assistant").put("model", answer.model());
        var content = message.putArray("content");
        if (!answer.text().isEmpty()) {
            content.addObject().put("type", "text").put("text", answer.text());
        }
        for (var call : answer.calls()) {
            var block = content.addObject().put("type", "tool_use").put("id", call.id());
            block.put("name", call.name()).set("input", call.input());
        }
        message.put("stop_reason", answer.stopReason()).putNull("stop_sequence");
        message.putObject("usage").put("input_tokens", 10).put("output_tokens", 5);
        return message;
    }

    @Override
    public ObjectNode error(int status, JsonMapper mapper) {
        var type = errorType(status);
        var body = mapper.createObjectNode().put("type", "error");
        body.putObject("error").put("type", type).put("message", "scripted " + type);
        return body;
    }

    static String errorType(int status) {
        return switch (status) {
            case 401 -> "authentication_error";
            case 403 -> "permission_error";
            case 404 -> "not_found_error";
            case 429 -> "rate_limit_error";
            case 529 -> "overloaded_error";
            default -> status < 500 ? "invalid_request_error" : "api_error";
        };
    }
}
