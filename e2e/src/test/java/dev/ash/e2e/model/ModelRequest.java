package dev.ash.e2e.model;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/** One request that the scripted API received; header names are in lower case. */
public record ModelRequest(String method, String path, Map<String, String> headers, JsonNode body) {
    /**
     * Returns whether this is a conversation turn, not a request such as a title or a quota check.
     */
    public boolean isTurn() {
        return isResponses() || isMessages();
    }

    /** Returns whether this is a request to the Responses API, whose turns are in {@code input}. */
    boolean isResponses() {
        return method.equals("POST") && path.equals("/v1/responses");
    }

    private boolean isMessages() {
        return method.equals("POST")
                && path.startsWith("/v1/messages")
                && !path.contains("count_tokens")
                && !body.path("tools").isEmpty()
                && body.path("max_tokens").asInt(0) > 1;
    }

    public boolean wantsStream() {
        return body.path("stream").asBoolean(false);
    }

    /** Returns the whole system prompt as one text. */
    public String system() {
        var system = new StringBuilder(text(body.path("system")));
        system.append(body.path("instructions").asString(""));
        for (var item : body.path("input")) {
            if (item.path("role").asString("").equals("developer")) {
                system.append('\n').append(text(item.path("content")));
            }
        }
        return system.toString();
    }

    /** Returns all text of the conversation, including the system prompt. */
    public String everything() {
        var all = new StringBuilder(system());
        for (var message : body.path("messages")) {
            all.append('\n').append(text(message.path("content")));
        }
        for (var item : body.path("input")) {
            if (!item.path("role").asString("").equals("developer")) {
                all.append('\n').append(text(item.path("content")));
                all.append(text(item.path("output")));
            }
        }
        return all.toString();
    }

    public List<String> toolNames() {
        var names = new ArrayList<String>();
        body.path("tools").forEach(tool -> names.add(tool.path("name").asString("")));
        return names;
    }

    /** Returns the description of a tool, or an empty string if the request has no such tool. */
    public String toolDescription(String name) {
        for (var tool : body.path("tools")) {
            if (tool.path("name").asString("").equals(name)) {
                return tool.path("description").asString("");
            }
        }
        return "";
    }

    public int messageCount() {
        return body.path("messages").size() + body.path("input").size();
    }

    /** Returns the tool results, oldest first. */
    public List<ToolResult> toolResults() {
        var results = new ArrayList<ToolResult>();
        for (var item : body.path("input")) {
            if (item.path("type").asString("").equals("function_call_output")) {
                results.add(new ToolResult(text(item.path("output")), false));
            }
        }
        for (var message : body.path("messages")) {
            for (var block : message.path("content")) {
                if (block.path("type").asString("").equals("tool_result")) {
                    results.add(
                            new ToolResult(
                                    text(block.path("content")),
                                    block.path("is_error").asBoolean(false)));
                }
            }
        }
        return results;
    }

    static String text(JsonNode content) {
        if (content.isString()) {
            return content.asString();
        }
        var text = new StringBuilder();
        for (var block : content) {
            var part = block.path("text").asString("");
            if (!part.isEmpty()) {
                text.append(text.isEmpty() ? "" : "\n").append(part);
            }
        }
        return text.toString();
    }

    /** A tool result as sent to the model. */
    public record ToolResult(String text, boolean isError) {}
}
