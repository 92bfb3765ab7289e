package dev.ash.server.event;

import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Derives the rows of {@code GET …/events} from an event of the log: none, one, or one for each
 * content block. They are counted when the event is appended, to number the rows, and derived when
 * it is read.
 */
final class EventRows {
    record Row(String type, RawJson data) {}

    /** {@code toolNames} maps the id of a tool call to its tool, for the results that follow. */
    static List<Row> of(EventType type, RawJson data, Map<String, String> toolNames) {
        return switch (type) {
            case LIFECYCLE -> List.of(new Row("lifecycle", data));
            case ERROR -> List.of(new Row("error", data));
            case NETWORK_BLOCKED -> List.of(new Row("network_blocked", data));
            case HOOK -> List.of(new Row("hook", data));
            case PROMPT, DONE, APPROVAL_REQUIRED, APPROVAL_RESOLVED -> List.of();
            case MESSAGE -> {
                var message = EngineMessage.read(data);
                try {
                    yield message.isEmpty() ? List.of() : ofMessage(message.get(), toolNames);
                } catch (MalformedJsonException e) {
                    yield List.of();
                }
            }
        };
    }

    /** Returns the number of rows that {@link #of} returns, without creating them. */
    static int count(EventType type, RawJson data) {
        return type == EventType.MESSAGE
                ? EngineMessage.read(data).map(EngineMessage::eventRows).orElse(0)
                : type.eventRows();
    }

    private static List<Row> ofMessage(EngineMessage message, Map<String, String> toolNames)
            throws MalformedJsonException {
        var rows = new ArrayList<Row>();
        switch (message.type()) {
            case "assistant" -> {
                for (var block : message.blocks()) {
                    addAssistantBlock(rows, block, toolNames);
                }
            }
            case "user" -> {
                for (var block : message.blocks()) {
                    if (block.string("type").orElse("").equals("tool_result")) {
                        rows.add(toolResult(message.json(), block, toolNames));
                    }
                }
            }
            case "result" ->
                    rows.add(new Row("turn_complete", DerivedFrames.turnComplete(message.json())));
            default -> {}
        }
        return rows;
    }

    private static void addAssistantBlock(
            List<Row> rows, JsonObject block, Map<String, String> toolNames)
            throws MalformedJsonException {
        switch (block.string("type").orElse("")) {
            case "text" ->
                    rows.add(
                            new Row(
                                    "text",
                                    JsonWriter.object()
                                            .put("text", block.raw("text").orElse(RawJson.NULL))
                                            .end()));
            case "thinking" ->
                    rows.add(
                            new Row(
                                    "reasoning",
                                    JsonWriter.object()
                                            .put(
                                                    "thinking",
                                                    block.raw("thinking").orElse(RawJson.NULL))
                                            .end()));
            case "tool_use" -> {
                toolNames.put(block.string("id").orElse(""), block.string("name").orElse(""));
                rows.add(
                        new Row(
                                "tool_start",
                                JsonWriter.object()
                                        .put("toolName", block.raw("name").orElse(RawJson.NULL))
                                        .put("toolId", block.raw("id").orElse(RawJson.NULL))
                                        .put("input", block.raw("input").orElse(RawJson.NULL))
                                        .end()));
            }
            default -> {}
        }
    }

    private static Row toolResult(
            JsonObject message, JsonObject block, Map<String, String> toolNames)
            throws MalformedJsonException {
        var output = ToolOutput.of(message, block);
        var toolId = block.string("tool_use_id").orElse("");
        return new Row(
                "tool_result",
                JsonWriter.object()
                        .put("toolName", toolNames.getOrDefault(toolId, ""))
                        .put("toolId", toolId)
                        .put("stdout", output.stdout())
                        .put("stderr", output.stderr())
                        .end());
    }

    private EventRows() {}
}
