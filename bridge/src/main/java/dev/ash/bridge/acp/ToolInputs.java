package dev.ash.bridge.acp;

import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Converts the input of a tool call to the fields of Claude's tool. Fields without an equivalent
 * are kept. What the input lacks is taken from the title, the locations and the changes of the
 * call.
 */
final class ToolInputs {
    /** A larger input would not fit into a message together with the original line. */
    private static final int MAX_BYTES = 4 * 1024 * 1024;

    private static final Set<String> FILE_TOOLS =
            Set.of(ToolNames.READ, ToolNames.EDIT, ToolNames.WRITE, "MultiEdit");

    private static final Map<String, String> FILE_FIELDS =
            Map.ofEntries(
                    Map.entry("filePath", "file_path"),
                    Map.entry("filepath", "file_path"),
                    Map.entry("path", "file_path"),
                    Map.entry("absolute_path", "file_path"),
                    Map.entry("oldString", "old_string"),
                    Map.entry("old_str", "old_string"),
                    Map.entry("before", "old_string"),
                    Map.entry("oldText", "old_string"),
                    Map.entry("newString", "new_string"),
                    Map.entry("new_str", "new_string"),
                    Map.entry("after", "new_string"),
                    Map.entry("newText", "new_string"),
                    Map.entry("replaceAll", "replace_all"),
                    Map.entry("file_text", "content"));

    private static final Map<String, String> SEARCH_FIELDS =
            Map.of("include", "glob", "dir_path", "path", "directory", "path");

    static AcpToolUse convert(AcpCall call, ToolNames names) throws MalformedJsonException {
        var tool = names.of(call);
        var fields = rename(call.input(), renamedFields(tool));
        if (tool.equals(ToolNames.COMMAND)) {
            addCommand(call, fields);
        } else if (FILE_TOOLS.contains(tool)) {
            addFile(call, tool, fields);
        }
        return new AcpToolUse(call.id(), tool, write(fields));
    }

    private static Map<String, String> renamedFields(String tool) {
        if (FILE_TOOLS.contains(tool)) {
            return FILE_FIELDS;
        }
        return switch (tool) {
            case "Grep", "Glob", "LS" -> SEARCH_FIELDS;
            case ToolNames.COMMAND -> Map.of("cmd", "command");
            default -> Map.of();
        };
    }

    private static Map<String, RawJson> rename(JsonObject input, Map<String, String> names) {
        var fields = new LinkedHashMap<String, RawJson>();
        for (var name : input.names()) {
            input.raw(name)
                    .ifPresent(value -> fields.putIfAbsent(names.getOrDefault(name, name), value));
        }
        return fields;
    }

    /** Agents that report no input have the command line as the title. */
    private static void addCommand(AcpCall call, Map<String, RawJson> fields)
            throws MalformedJsonException {
        var command = fields.get("command");
        if (command == null) {
            fields.put("command", RawJson.string(call.title()));
        } else if (command.byteAt(0) == '[') {
            fields.put(
                    "command", RawJson.string(String.join(" ", call.input().strings("command"))));
        }
    }

    private static void addFile(AcpCall call, String tool, Map<String, RawJson> fields)
            throws MalformedJsonException {
        var change = call.change();
        var path = change.isPresent() ? change.get().string("path") : call.path();
        if (path.isPresent()) {
            fields.putIfAbsent("file_path", RawJson.string(path.get()));
        }
        if (change.isEmpty()) {
            return;
        }
        var newText = change.get().raw("newText").orElse(RawJson.string(""));
        if (tool.equals(ToolNames.WRITE)) {
            fields.putIfAbsent("content", newText);
        } else if (tool.equals(ToolNames.EDIT) && !fields.containsKey("new_string")) {
            fields.put("old_string", change.get().raw("oldText").orElse(RawJson.string("")));
            fields.put("new_string", newText);
        }
    }

    private static RawJson write(Map<String, RawJson> fields) {
        var json = JsonWriter.object();
        fields.forEach(json::put);
        var input = json.end();
        return input.length() <= MAX_BYTES
                ? input
                : RawJson.of("{\"ash\":\"the input is too long to be shown\"}");
    }

    private ToolInputs() {}
}
