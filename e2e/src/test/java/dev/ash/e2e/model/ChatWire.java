package dev.ash.e2e.model;

import dev.ash.e2e.model.ModelRequest.ToolResult;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** OpenAI's Chat Completions API. */
final class ChatWire implements ModelWire {
    @Override
    public boolean isTurn(ModelRequest request) {
        return !request.body().path("tools").isEmpty();
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
        return text(body, true);
    }

    @Override
    public String conversation(JsonNode body) {
        return text(body, false);
    }

    private static String text(JsonNode body, boolean isSystem) {
        var all = new StringBuilder();
        for (var message : body.path("messages")) {
            var role = message.path("role").asString("");
            if ((role.equals("system") || role.equals("developer")) == isSystem) {
                all.append('\n').append(PromptText.all(message.path("content")));
            }
        }
        return all.toString();
    }

    /** A client may send an answer as several consecutive messages. */
    @Override
    public List<Entry> entries(JsonNode body) {
        var entries = new ArrayList<Entry>();
        boolean answering = false;
        for (var message : body.path("messages")) {
            var role = message.path("role").asString("");
            boolean model = role.equals("assistant");
            if (model && !answering) {
                entries.add(Entry.ANSWER);
            }
            answering = model;
            if (role.equals("user")) {
                entries.add(Entry.prompt(PromptText.of(message.path("content"))));
            }
        }
        return entries;
    }

    @Override
    public List<ToolResult> toolResults(JsonNode body) {
        return body.path("messages")
                .valueStream()
                .filter(message -> message.path("role").asString("").equals("tool"))
                .map(message -> new ToolResult(PromptText.all(message.path("content")), false))
                .toList();
    }

    @Override
    public List<JsonNode> tools(JsonNode body) {
        return body.path("tools").valueStream().map(tool -> tool.path("function")).toList();
    }

    @Override
    public AnswerStream stream(HttpConnection connection, ModelRequest request, JsonMapper mapper) {
        var usage = request.body().path("stream_options").path("include_usage").asBoolean(false);
        return new ChatStream(connection, usage, mapper);
    }

    @Override
    public ObjectNode whole(WholeAnswer answer, JsonMapper mapper) {
        var completion = mapper.createObjectNode().put("id", answer.id());
        completion.put("object", "chat.completion").put("created", 1).put("model", answer.model());
        var choice = completion.putArray("choices").addObject().put("index", 0);
        choice.put("finish_reason", finishReason(answer.stopReason()));
        var message = choice.putObject("message").put("role", "assistant");
        message.put("content", answer.text());
        for (var call : answer.calls()) {
            message.withArrayProperty("tool_calls")
                    .addObject()
                    .put("id", call.id())
                    .put("type", "function")
                    .putObject("function")
                    .put("name", call.name())
                    .put("arguments", mapper.writeValueAsString(call.input()));
        }
        addUsage(completion);
        return completion;
    }

    static void addUsage(ObjectNode body) {
        var usage = body.putObject("usage").put("prompt_tokens", 10).put("completion_tokens", 5);
        usage.put("total_tokens", 15).putObject("prompt_tokens_details").put("cached_tokens", 4);
    }

    /** Maps a stop reason of the Messages API. */
    static String finishReason(String stopReason) {
        return switch (stopReason) {
            case "tool_use" -> "tool_calls";
            case "max_tokens" -> "length";
            default -> "stop";
        };
    }

    @Override
    public ObjectNode error(int status, JsonMapper mapper) {
        var type = MessagesWire.errorType(status);
        var body = mapper.createObjectNode();
        body.putObject("error")
                .put("message", "scripted " + type)
                .put("type", type)
                .putNull("param")
                .putNull("code");
        return body;
    }
}
