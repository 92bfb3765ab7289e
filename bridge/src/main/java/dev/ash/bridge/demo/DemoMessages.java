package dev.ash.bridge.demo;

import dev.ash.bridge.engine.ClaudeMessageFormat;
import dev.ash.bridge.exec.ShellResult;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.RawJson;
import java.nio.file.Path;
import java.util.List;

/** Builds the messages of one turn in the format of Claude Code, with consistent ids. */
final class DemoMessages {
    private static final String TOOL = "Bash";

    private final ClaudeMessageFormat format;
    private final long startedAt = System.nanoTime();

    DemoMessages(String sessionId) {
        this.format = new ClaudeMessageFormat(sessionId, "demo");
    }

    static String newMessageId() {
        return "msg_demo_" + ClaudeMessageFormat.uuid().replace("-", "");
    }

    RawJson init(Path workspace, boolean asks) {
        return format.init(workspace.toString(), List.of(TOOL), asks).end();
    }

    RawJson text(String messageId, String text) {
        return format.assistant(messageId, ClaudeMessageFormat.text(text)).end();
    }

    RawJson toolUse(String messageId, String toolUseId, RawJson input) {
        return format.assistant(messageId, ClaudeMessageFormat.toolUse(toolUseId, TOOL, input))
                .end();
    }

    RawJson toolResult(String toolUseId, ShellResult result) {
        var shown = RawJson.string(result.stdout() + result.stderr());
        var json = format.toolResult(toolUseId, shown, result.exitCode() != 0);
        json.name("tool_use_result").open('{');
        json.put("stdout", result.stdout()).put("stderr", result.stderr());
        return json.put("interrupted", false).put("isImage", false).close('}').end();
    }

    RawJson interrupted() {
        return format.interrupted().end();
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
        var json = format.result(ok, millis, turns).put("total_cost_usd", 0);
        json.put("usage", RawJson.of("{\"input_tokens\":0,\"output_tokens\":0}"));
        return json.put("modelUsage", RawJson.EMPTY_OBJECT).put("permission_denials", List.of());
    }

    RawJson messageStart(String messageId) {
        return format.messageStart(messageId);
    }

    RawJson textStart() {
        return format.blockStart(ClaudeMessageFormat.text(""));
    }

    RawJson toolStart(String toolUseId) {
        return format.blockStart(
                ClaudeMessageFormat.toolUse(toolUseId, TOOL, RawJson.EMPTY_OBJECT));
    }

    RawJson textDelta(String text) {
        return format.delta("text_delta", "text", RawJson.string(text)).end();
    }

    RawJson inputDelta(String json) {
        return format.delta("input_json_delta", "partial_json", RawJson.string(json)).end();
    }

    /** Builds the end of a streamed message. */
    List<RawJson> streamEnd(String stopReason) {
        return List.of(format.blockStop(), format.messageDelta(stopReason), format.messageStop());
    }
}
