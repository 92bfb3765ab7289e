package dev.ash.sdk;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.json.RawJson;
import dev.ash.protocol.notice.Notice;
import dev.ash.protocol.rest.AshStreamEvent;
import org.junit.jupiter.api.Test;

class SseFrameTest {
    private static AshStreamEvent event(String name, String data, String id) {
        return new SseFrame(name, RawJson.of(data), id).toEvent();
    }

    @Test
    void mapsEachTypeToItsRecord() {
        assertThat(event("session_start", "{\"sessionId\":\"s\",\"version\":\"1\"}", null))
                .isEqualTo(new AshStreamEvent.SessionStart("s", "1"));
        assertThat(event("text_delta", "{\"delta\":\"ü\"}", null))
                .isEqualTo(new AshStreamEvent.TextDelta("ü"));
        assertThat(event("thinking_delta", "{\"delta\":\"hm\"}", null))
                .isEqualTo(new AshStreamEvent.ThinkingDelta("hm"));
        assertThat(event("tool_use", "{\"id\":\"t\",\"name\":\"Bash\",\"input\":{\"a\":1}}", null))
                .isEqualTo(new AshStreamEvent.ToolUse("t", "Bash", RawJson.of("{\"a\":1}")));
        assertThat(event("tool_result", "{\"tool_use_id\":\"t\",\"is_error\":true}", null))
                .isEqualTo(new AshStreamEvent.ToolResult("t", null, true));
        assertThat(event("turn_complete", "{\"numTurns\":2,\"result\":\"ok\"}", null))
                .isEqualTo(new AshStreamEvent.TurnComplete(2, "ok"));
        assertThat(event("error", "{\"error\":\"no\"}", "8"))
                .isEqualTo(new AshStreamEvent.Failed("no", 8));
        assertThat(event("done", "{\"sessionId\":\"s\"}", "9"))
                .isEqualTo(new AshStreamEvent.Done("s", 9));
        assertThat(event("notice", "{\"kind\":\"k\",\"text\":\"t\",\"new\":1}", null))
                .isEqualTo(new AshStreamEvent.NoticeEvent(new Notice("k", "t", "")));
        assertThat(event("prompt", "{\"type\":\"user\",\"content\":\"hi\"}", "4"))
                .isEqualTo(new AshStreamEvent.Prompt(RawJson.of("\"hi\""), 4));
    }

    @Test
    void keepsMessagesThatAreNotJson() {
        assertThat(event("message", "{ \"b\" :1,  not json", "3"))
                .isEqualTo(new AshStreamEvent.Message(RawJson.of("{ \"b\" :1,  not json"), 3));
    }

    @Test
    void mapsNewTypesAndUnexpectedDataToUnknown() {
        assertThat(event("approval_asked", "{}", "1"))
                .isEqualTo(new AshStreamEvent.Unknown("approval_asked", RawJson.of("{}")));
        assertThat(event("done", "[]", null))
                .isEqualTo(new AshStreamEvent.Unknown("done", RawJson.of("[]")));
        assertThat(event("text_delta", "{}", null))
                .isEqualTo(new AshStreamEvent.Unknown("text_delta", RawJson.of("{}")));
    }
}
