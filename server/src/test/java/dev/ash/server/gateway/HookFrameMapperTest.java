package dev.ash.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.gateway.GatewayFrame;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.RawJson;
import dev.ash.server.event.EventType;
import dev.ash.server.event.LoggedEvent;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HookFrameMapperTest {
    private static final SessionId SESSION = SessionId.random();
    private static final long NOW = Instant.parse("2026-05-01T00:00:00Z").toEpochMilli();

    private final FrameMapper mapper = new FrameMapper(SESSION, () -> false);
    private long seq;

    /** Returns the frames of one event for a device without capabilities. */
    private List<GatewayFrame> event(EventType type, String json) {
        var event = new LoggedEvent(++seq, null, type, RawJson.of(json), NOW);
        return mapper.map(event).stream()
                .filter(frame -> frame.isFor(Set.of()))
                .map(TargetedFrame::frame)
                .toList();
    }

    private List<GatewayFrame> hook(String json) {
        return event(EventType.HOOK, json);
    }

    private static List<String> types(List<GatewayFrame> frames) {
        return frames.stream().map(GatewayFrame::type).toList();
    }

    private static JsonObject fields(GatewayFrame frame) throws Exception {
        return frame.fields();
    }

    @Test
    void mapsPostToolUseOfForwarderToToolResult() throws Exception {
        var frames =
                hook(
                        "{\"event_type\":\"PostToolUse\",\"session_id\":\"s\",\"payload\":{\"tool\":\"edit_file\",\"tool_call_id\":\"call-1\",\"result\":{\"success\":true,\"content\":\"File edited successfully\",\"diff\":\"@@\",\"duration_ms\":12}}}");

        assertThat(types(frames)).containsExactly("claude_event", "tool_result");
        assertThat(frames.get(1).payload())
                .hasToString(
                        "{\"session_id\":\"%s\",\"tool_call_id\":\"call-1\",\"tool\":\"edit_file\",\"result\":{\"success\":true,\"content\":\"File edited successfully\",\"diff\":\"@@\",\"duration_ms\":12}}"
                                .formatted(SESSION));
        assertThat(frames.get(1).id()).isEqualTo(SESSION + "/1.1");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            textBlock =
                    """
                    "tool_response":"plain" | "content":"plain"
                    "tool_response":{"stdout":"ran","stderr":"","interrupted":false} | "content":"ran"
                    "tool_response":{"stdout":"ran","stderr":"oh"} | "content":"ran\\noh"
                    "tool_response":[{"type":"text","text":"a"},{"type":"text","text":"b"}] | "content":"ab"
                    "tool_response":{"type":"text","file":{"filePath":"/a","content":"whole"}} | "content":"whole"
                    "tool_response":{"filePath":"/a","structuredPatch":[{"oldStart":1,"oldLines":1,"newStart":1,"newLines":1,"lines":["-a","+b"]}]} | "content":"/a","diff":"--- /a\\n+++ /a\\n@@ -1,1 +1,1 @@\\n-a\\n+b\\n"
                    "tool_response":{"other":[1]} | "content":"{\\"other\\":[1]}"
                    "tool_response":null | "content":""
                    "x":1 | "content":""
                    "tool_response":{"success":false,"text":"no"} | "success":false,"content":"no","error":"no"
                    "error":"broken" | "success":false,"content":"broken","error":"broken"
                    "error":7 | "content":""
                    "result":"text" | "content":"text"
                    """)
    void extractsTextOfEveryResponseFormat(String response, String expected) throws Exception {
        var frames =
                hook(
                        "{\"hook_event_name\":\"PostToolUse\",\"session_id\":\"s\",\"tool_name\":\"X\",\"tool_use_id\":\"t\",%s}"
                                .formatted(response));

        assertThat(types(frames)).containsExactly("claude_event", "tool_result");
        assertThat(fields(frames.get(1)).raw("result").orElseThrow().toString()).contains(expected);
    }

    @Test
    void mapsFailedToolToFailedResult() throws Exception {
        var frames =
                hook(
                        "{\"hook_event_name\":\"PostToolUseFailure\",\"session_id\":\"s\",\"tool_name\":\"Bash\",\"tool_input\":{},\"tool_use_id\":\"t\",\"error\":\"exit 1\"}");

        assertThat(fields(frames.get(1)).raw("result").orElseThrow())
                .hasToString("{\"success\":false,\"content\":\"exit 1\",\"error\":\"exit 1\"}");
    }

    @Test
    void givesResultWithoutIdTheIdOfItsCall() throws Exception {
        hook(
                "{\"event_type\":\"PreToolUse\",\"session_id\":\"s\",\"payload\":{\"tool\":\"run\",\"params\":{\"a\":1,\"b\":2},\"tool_call_id\":\"call-1\"}}");
        var result =
                hook("{\"event_type\":\"PostToolUse\",\"session_id\":\"s\",\"payload\":{\"tool\":\"run\",\"params\":{\"b\":2, \"a\":1},\"result\":{\"success\":true}}}")
                        .get(1);
        var other =
                hook("{\"event_type\":\"PostToolUse\",\"session_id\":\"s\",\"payload\":{\"tool\":\"run\",\"params\":{\"a\":1,\"b\":2},\"result\":{\"success\":true}}}")
                        .get(1);

        assertThat(fields(result).requireString("tool_call_id")).isEqualTo("call-1");
        assertThat(fields(other).requireString("tool_call_id"))
                .as("result of an unreported call")
                .isEqualTo(SESSION + "/3.1");
    }

    @Test
    void givesResultWithoutIdTheIdOfItsApproval() throws Exception {
        event(
                EventType.APPROVAL_REQUIRED,
                "{\"id\":\"a1\",\"tool\":\"Bash\",\"input\":{\"command\":\"make\"},\"source\":\"hooks\"}");
        var result =
                hook("{\"hook_event_name\":\"PostToolUse\",\"session_id\":\"s\",\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"make\"}}")
                        .get(1);

        assertThat(fields(result).requireString("tool_call_id")).isEqualTo("a1");
    }

    @Test
    void truncatesLongResults() throws Exception {
        var result =
                hook("{\"hook_event_name\":\"PostToolUse\",\"session_id\":\"s\",\"tool_response\":\"%s\"}"
                                .formatted("x".repeat(1_000_000)))
                        .get(1);

        assertThat(result.payload().length()).isLessThan(110_000);
    }

    @Test
    void mapsNotificationHookToNotification() throws Exception {
        var frames =
                hook(
                        "{\"hook_event_name\":\"Notification\",\"session_id\":\"s\",\"cwd\":\"/home/me/shop/\",\"message\":\"Claude is waiting for your input\",\"notification_type\":\"idle_prompt\"}");

        assertThat(types(frames)).containsExactly("claude_event", "notification");
        assertThat(frames.get(1).id()).isEqualTo(SESSION + "/1.1");
        assertThat(frames.get(1).payload())
                .hasToString(
                        "{\"notification_id\":\"%s/1.1\",\"session_id\":\"%s\",\"notification_type\":\"idle_prompt\",\"title\":\"Claude Code in shop\",\"body\":\"Claude is waiting for your input\",\"priority\":\"normal\",\"data\":{\"screen\":\"session\"}}"
                                .formatted(SESSION, SESSION));
    }

    @Test
    void usesDirectoryOfEarlierHookInNotification() throws Exception {
        hook(
                "{\"event\":\"SessionStart\",\"session_id\":\"s\",\"payload\":{\"working_directory\":\"/home/me/shop\"}}");
        var frames =
                hook(
                        "{\"event\":\"Notification\",\"session_id\":\"s\",\"payload\":{\"message\":\"Done\"}}");

        assertThat(fields(frames.get(1)).requireString("title")).isEqualTo("Claude Code in shop");
    }

    @Test
    void keepsTextsOfForwardersNotification() throws Exception {
        var frames =
                hook(
                        "{\"event\":\"Notification\",\"session_id\":\"s\",\"payload\":{\"title\":\"Build\",\"message\":\"Done\",\"priority\":\"low\",\"notification_type\":\"task_complete\"}}");

        assertThat(frames.get(1).payload().toString())
                .contains(
                        "\"notification_type\":\"task_complete\"",
                        "\"title\":\"Build\"",
                        "\"body\":\"Done\"",
                        "\"priority\":\"low\"");
    }

    @Test
    void givesPermissionPromptHighPriority() throws Exception {
        var frames =
                hook(
                        "{\"hook_event_name\":\"Notification\",\"session_id\":\"s\",\"message\":\"May I?\",\"notification_type\":\"permission_prompt\"}");

        assertThat(frames.get(1).payload().toString())
                .contains("\"notification_type\":\"approval_required\"", "\"priority\":\"high\"");
    }

    @ParameterizedTest
    @CsvSource({
        "2026-03-16T10:32:00Z, 2026-03-16T10:32:00Z",
        "2026-03-16T10:32:00.5+02:00, 2026-03-16T08:32:00.500Z",
        "yesterday, 2026-05-01T00:00:00Z",
    })
    void keepsTimestampOfForwarder(String sent, String expected) throws Exception {
        var frame =
                hook("{\"event_type\":\"Stop\",\"session_id\":\"s\",\"timestamp\":\"%s\",\"payload\":{}}"
                                .formatted(sent))
                        .getFirst();

        assertThat(fields(frame).requireString("timestamp")).isEqualTo(expected);
    }

    @Test
    void keepsAdditionalFieldsOfForwarder() throws Exception {
        var frame =
                hook("{\"event_type\":\"PreToolUse\",\"session_id\":\"s\",\"payload\":{\"tool\":\"run\",\"description\":\"Build it\",\"risk_level\":\"medium\",\"branch\":\"main\",\"raw\":1}}")
                        .getFirst();

        var payload = fields(frame).object("payload").orElseThrow();
        assertThat(payload.requireString("description")).isEqualTo("Build it");
        assertThat(payload.requireString("risk_level")).isEqualTo("medium");
        assertThat(payload.requireString("branch")).isEqualTo("main");
        assertThat(payload.object("raw")).isPresent();
    }

    @Test
    void usesRiskLevelOfAsker() throws Exception {
        var approval =
                event(
                                EventType.APPROVAL_REQUIRED,
                                "{\"id\":\"a1\",\"tool\":\"Bash\",\"input\":{\"command\":\"ls\"},\"source\":\"hooks\",\"riskLevel\":\"critical\",\"description\":\"List\"}")
                        .getFirst();

        assertThat(fields(approval).requireString("risk_level")).isEqualTo("critical");
        assertThat(fields(approval).requireString("description")).isEqualTo("List");
    }

    @Test
    void endsSilentTerminalWithTimeout() throws Exception {
        var end = event(EventType.LIFECYCLE, "{\"action\":\"timed_out\"}").getFirst();

        assertThat(end.type()).isEqualTo("session_end");
        assertThat(fields(end).requireString("reason")).isEqualTo("timeout");
    }
}
