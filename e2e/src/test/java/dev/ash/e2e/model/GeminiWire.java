package dev.ash.e2e.model;

import dev.ash.e2e.model.ModelRequest.ToolResult;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Google's Gemini API, whose conversations are in {@code contents}. */
final class GeminiWire implements ModelWire {
    /** A search of the provider is a tool without functions, and not a turn. */
    @Override
    public boolean isTurn(ModelRequest request) {
        return !tools(request.body()).isEmpty();
    }

    @Override
    public boolean wantsStream(ModelRequest request) {
        return request.path().contains(":streamGenerateContent");
    }

    @Override
    public String model(ModelRequest request) {
        var path = request.path();
        return path.substring(path.lastIndexOf('/') + 1, path.indexOf(':'));
    }

    @Override
    public String system(JsonNode body) {
        return PromptText.all(body.path("systemInstruction").path("parts"));
    }

    @Override
    public String conversation(JsonNode body) {
        var all = new StringBuilder();
        for (var content : body.path("contents")) {
            all.append('\n').append(PromptText.all(content.path("parts")));
            content.path("parts").forEach(part -> all.append(result(part).text()));
        }
        return all.toString();
    }

    @Override
    public List<Entry> entries(JsonNode body) {
        var entries = new ArrayList<Entry>();
        boolean answering = false;
        for (var content : body.path("contents")) {
            boolean model = content.path("role").asString("").equals("model");
            if (model && !answering) {
                entries.add(Entry.ANSWER);
            }
            answering = model;
            if (!model) {
                entries.add(Entry.prompt(PromptText.of(content.path("parts"))));
            }
        }
        return entries;
    }

    @Override
    public List<ToolResult> toolResults(JsonNode body) {
        var results = new ArrayList<ToolResult>();
        for (var content : body.path("contents")) {
            for (var part : content.path("parts")) {
                if (part.has("functionResponse")) {
                    results.add(result(part));
                }
            }
        }
        return results;
    }

    private static ToolResult result(JsonNode part) {
        var response = part.path("functionResponse").path("response");
        var error = response.path("error").asString("");
        var output = response.path("output");
        return error.isEmpty()
                ? new ToolResult(PromptText.all(output), false)
                : new ToolResult(error, true);
    }

    @Override
    public List<JsonNode> tools(JsonNode body) {
        return body.path("tools")
                .valueStream()
                .flatMap(tool -> tool.path("functionDeclarations").valueStream())
                .toList();
    }

    @Override
    public AnswerStream stream(HttpConnection connection, ModelRequest request, JsonMapper mapper) {
        return new GeminiStream(connection, mapper);
    }

    @Override
    public ObjectNode whole(WholeAnswer answer, JsonMapper mapper) {
        var response = mapper.createObjectNode();
        var candidate = response.putArray("candidates").addObject().put("index", 0);
        var parts = candidate.putObject("content").put("role", "model").putArray("parts");
        if (!answer.text().isEmpty()) {
            parts.addObject().put("text", answer.text());
        }
        for (var call : answer.calls()) {
            var function = parts.addObject().putObject("functionCall").put("name", call.name());
            function.set("args", call.input());
        }
        candidate.put("finishReason", finishReason(answer.stopReason()));
        addUsage(response);
        return response.put("modelVersion", answer.model()).put("responseId", answer.id());
    }

    static void addUsage(ObjectNode body) {
        var usage = body.putObject("usageMetadata").put("promptTokenCount", 10);
        usage.put("cachedContentTokenCount", 4).put("candidatesTokenCount", 5);
        usage.put("totalTokenCount", 15);
    }

    /** Maps a stop reason of the Messages API. */
    static String finishReason(String stopReason) {
        return stopReason.equals("max_tokens") ? "MAX_TOKENS" : "STOP";
    }

    @Override
    public ObjectNode error(int status, JsonMapper mapper) {
        var name =
                switch (status) {
                    case 401 -> "UNAUTHENTICATED";
                    case 403 -> "PERMISSION_DENIED";
                    case 404 -> "NOT_FOUND";
                    case 429 -> "RESOURCE_EXHAUSTED";
                    case 503 -> "UNAVAILABLE";
                    default -> status < 500 ? "INVALID_ARGUMENT" : "INTERNAL";
                };
        var body = mapper.createObjectNode();
        body.putObject("error")
                .put("code", status)
                .put("message", "scripted " + name)
                .put("status", name);
        return body;
    }
}
