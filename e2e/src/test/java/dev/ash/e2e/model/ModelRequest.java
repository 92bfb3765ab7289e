package dev.ash.e2e.model;

import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/** One request that the scripted API received; header names are in lower case. */
public record ModelRequest(String method, String path, Map<String, String> headers, JsonNode body) {
    /**
     * Returns whether this is a conversation turn, not a request such as a title or a quota check.
     */
    public boolean isTurn() {
        return ModelWires.of(method, path).filter(wire -> wire.isTurn(this)).isPresent();
    }

    /** Returns the API of this request; for other requests, any API, which finds nothing. */
    private ModelWire wire() {
        return ModelWires.of(method, path).orElse(ModelWires.MESSAGES);
    }

    /** Returns the whole system prompt as one text. */
    public String system() {
        return wire().system(body);
    }

    /** Returns all text of the conversation, including the system prompt. */
    public String everything() {
        return system() + wire().conversation(body);
    }

    public List<String> toolNames() {
        return wire().tools(body).stream().map(tool -> tool.path("name").asString("")).toList();
    }

    /** Returns the description of a tool, or an empty string if the request has no such tool. */
    public String toolDescription(String name) {
        for (var tool : wire().tools(body)) {
            if (tool.path("name").asString("").equals(name)) {
                return tool.path("description").asString("");
            }
        }
        return "";
    }

    public int messageCount() {
        return body.path("messages").size()
                + body.path("input").size()
                + body.path("contents").size();
    }

    /** Returns the entries of the conversation, oldest first. */
    List<ModelWire.Entry> entries() {
        return wire().entries(body);
    }

    /** Returns the tool results, oldest first. */
    public List<ToolResult> toolResults() {
        return wire().toolResults(body);
    }

    /** A tool result as sent to the model. */
    public record ToolResult(String text, boolean isError) {}
}
