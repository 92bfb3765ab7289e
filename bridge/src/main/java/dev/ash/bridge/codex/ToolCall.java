package dev.ash.bridge.codex;

import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import java.util.Optional;

/** A tool call of the model, with the name of the equivalent tool of Claude Code, if any. */
record ToolCall(String id, String tool, RawJson input) {
    /** Returns the call of an item, if it is one. Equal calls have byte-identical inputs. */
    static Optional<ToolCall> of(JsonObject item) throws MalformedJsonException {
        var id = item.string("id").orElse("");
        return switch (item.string("type").orElse("")) {
            case "commandExecution" ->
                    Optional.of(new ToolCall(id, CodexRules.COMMAND, command(item)));
            case "fileChange" -> Optional.of(new ToolCall(id, CodexRules.CHANGE, change(item)));
            case "mcpToolCall" ->
                    Optional.of(
                            new ToolCall(
                                    id,
                                    "mcp__%s__%s"
                                            .formatted(
                                                    item.string("server").orElse(""),
                                                    item.string("tool").orElse("")),
                                    item.raw("arguments").orElse(RawJson.EMPTY_OBJECT)));
            case "dynamicToolCall" ->
                    Optional.of(
                            new ToolCall(
                                    id,
                                    item.string("tool").orElse(""),
                                    item.raw("arguments").orElse(RawJson.EMPTY_OBJECT)));
            case "webSearch" -> Optional.of(new ToolCall(id, "WebSearch", only(item, "query")));
            case "imageView" -> {
                var path = item.raw("path").orElse(RawJson.string(""));
                yield Optional.of(
                        new ToolCall(id, "Read", JsonWriter.object().put("file_path", path).end()));
            }
            default -> Optional.empty();
        };
    }

    private static RawJson command(JsonObject item) throws MalformedJsonException {
        var line = ShellCommand.unwrap(item.string("command").orElse(""));
        return JsonWriter.object().put("command", line).end();
    }

    private static RawJson change(JsonObject item) throws MalformedJsonException {
        var changes = item.raw("changes").orElse(RawJson.of("[]"));
        var all = JsonObject.elements(changes);
        var path = all.isEmpty() ? null : JsonObject.parse(all.getFirst()).string("path");
        var json = JsonWriter.object();
        json.put("file_path", path == null ? null : path.orElse(null));
        return json.put("changes", changes).end();
    }

    private static RawJson only(JsonObject item, String name) {
        return JsonWriter.object().put(name, item.raw(name).orElse(RawJson.string(""))).end();
    }

    /** Returns the command line of a {@link CodexRules#COMMAND}; empty for other tools. */
    String command() throws MalformedJsonException {
        return tool.equals(CodexRules.COMMAND)
                ? JsonObject.parse(input).string("command").orElse("")
                : "";
    }
}
