package dev.ash.bridge.demo;

import dev.ash.bridge.engine.MessageShapes;
import dev.ash.bridge.exec.ShellResult;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.RawJson;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;

/** The messages of one turn, in the shapes of Claude Code and with ids that fit together. */
final class DemoMessages {
    private static final String TOOL = "Bash";

    private final MessageShapes shapes;
    private final long startedAt = System.nanoTime();

    DemoMessages(String sessionId) {
        this.shapes = new MessageShapes(sessionId, "demo");
    }

    static String newMessageId() {
        return "msg_demo_" + UUID.randomUUID().toString().replace("-", "");
    }

    RawJson init(Path workspace, boolean asks) {
        return shapes.init(workspace.toString(), List.of(TOOL), asks).end();
    }

    RawJson text(String messageId, String text) {
        return shapes.assistant(messageId, MessageShapes.text(text)).end();
    }

    RawJson toolUse(String messageId, String toolUseId, RawJson input) {
        return shapes.assistant(messageId, MessageShapes.toolUse(toolUseId, TOOL, input)).end();
    }

    RawJson toolResult(String toolUseId, ShellResult result) {
        var shown = RawJson.string(result.stdout() + result.stderr());
        var json = shapes.toolResult(toolUseId, shown, result.exitCode() != 0);
        json.name("tool_use_result").open('{');
        json.put("stdout", result.stdout()).put("stderr", result.stderr());
        return json.put("interrupted", false).put("isImage", false).close('}').end();
    }

    RawJson interrupted() {
        return shapes.interrupted().end();
    }

    RawJson success(String text, int turns) {
        var json = result(true, turns).put("result", text);
        return json.put("stop_reason", "end_turn").put("terminal_reason", "completed").end();
    }

    RawJson aborted(int turns) {
        var json = result(false, turns).putNull("stop_reason");
        json.put("terminal_reason", "aborted_streaming");
        return json.put("errors", List.of("The demo was interrupted")).end();
    }

    private JsonWriter result(boolean ok, int turns) {
        long millis = (System.nanoTime() - startedAt) / 1_000_000;
        var json = shapes.result(ok, millis, turns).put("total_cost_usd", 0);
        json.put("usage", RawJson.of("{\"input_tokens\":0,\"output_tokens\":0}"));
        return json.put("modelUsage", RawJson.EMPTY_OBJECT).put("permission_denials", List.of());
    }

    RawJson messageStart(String messageId) {
        return shapes.messageStart(messageId);
    }

    RawJson textStart() {
        return shapes.blockStart(MessageShapes.text(""));
    }

    RawJson toolStart(String toolUseId) {
        return shapes.blockStart(MessageShapes.toolUse(toolUseId, TOOL, RawJson.EMPTY_OBJECT));
    }

    RawJson textDelta(String text) {
        return shapes.delta("text_delta", "text", RawJson.string(text)).end();
    }

    RawJson inputDelta(String json) {
        return shapes.delta("input_json_delta", "partial_json", RawJson.string(json)).end();
    }

    /** The end of a message that came in pieces. */
    List<RawJson> finished(String stopReason) {
        return List.of(shapes.blockStop(), shapes.messageDelta(stopReason), shapes.messageStop());
    }
}
