package dev.ash.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.TurnId;
import dev.ash.protocol.gateway.GatewayFrame;
import dev.ash.protocol.json.RawJson;
import dev.ash.server.event.EventType;
import dev.ash.server.event.LoggedEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class FrameMapperTest {
    private static final SessionId SESSION = SessionId.random();
    private static final TurnId TURN = TurnId.random();

    private final FrameMapper mapper = new FrameMapper(SESSION, () -> true);
    private final List<GatewayFrame> sent = new ArrayList<>();
    private long seq;

    private void event(EventType type, String json) {
        map(new LoggedEvent(++seq, TURN, type, RawJson.of(json), 0));
    }

    private void message(String json) {
        event(EventType.MESSAGE, json);
    }

    private void hint(String event) {
        var data = "{\"type\":\"stream_event\",\"event\":" + event + "}";
        map(new LoggedEvent(0, TURN, EventType.MESSAGE, RawJson.of(data), 0));
    }

    /** Adds the frames for a device without capabilities. */
    private void map(LoggedEvent event) {
        mapper.map(event).stream()
                .filter(each -> each.isFor(Set.of()))
                .forEach(each -> sent.add(each.frame()));
    }

    private void assistant(String id, String... blocks) {
        message(
                "{\"type\":\"assistant\",\"message\":{\"id\":\"%s\",\"content\":[%s]}}"
                        .formatted(id, String.join(",", blocks)));
    }

    private static String text(String text) {
        return "{\"type\":\"text\",\"text\":\"%s\"}".formatted(text);
    }

    private void delta(String text) {
        hint(
                "{\"type\":\"content_block_delta\",\"delta\":{\"type\":\"text_delta\",\"text\":\"%s\"}}"
                        .formatted(text));
    }

    /** Returns the types of the frames, with the main fields of stream frames. */
    private List<String> summary() throws Exception {
        var summary = new ArrayList<String>();
        for (var frame : sent) {
            var fields = frame.fields();
            assertThat(fields.string("session_id")).contains(SESSION.value());
            summary.add(
                    switch (frame.type()) {
                        case "stream_start" -> "start " + fields.requireString("message_id");
                        case "stream_chunk" -> fields.requireString("content");
                        case "stream_end" -> "end " + fields.requireString("finish_reason");
                        default -> frame.type();
                    });
        }
        return summary;
    }

    @Test
    void mapsLoggedMessageToOneStream() throws Exception {
        assistant("m1", text("hello"));
        event(EventType.DONE, "{}");

        assertThat(summary()).containsExactly("start m1", "hello", "end stop");
    }

    @Test
    void doesNotRepeatTextSentAsDeltas() throws Exception {
        hint("{\"type\":\"message_start\",\"message\":{\"id\":\"m1\"}}");
        delta("hel");
        delta("lo");
        assistant("m1", text("hello"));
        hint("{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}");
        hint("{\"type\":\"message_stop\"}");
        message("{\"type\":\"result\",\"is_error\":false}");
        event(EventType.DONE, "{}");

        assertThat(summary()).containsExactly("start m1", "hel", "lo", "end stop");
    }

    @Test
    void sendsRestOfTextAfterMissedDeltas() throws Exception {
        hint("{\"type\":\"message_start\",\"message\":{\"id\":\"m1\"}}");
        delta("hel");
        assistant("m1", text("hello"));

        assertThat(summary()).containsExactly("start m1", "hel", "lo");
    }

    @Test
    void endsStreamAtToolCallAndNamesToolInResult() throws Exception {
        assistant("m1", text("let me see"));
        assistant(
                "m1",
                "{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"Bash\",\"input\":{\"command\":\"ls\"}}");
        message(
                "{\"type\":\"user\",\"message\":{\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"t1\",\"content\":\"a.txt\"}]}}");
        assistant("m2", text("done"));
        event(EventType.DONE, "{}");

        assertThat(summary())
                .containsExactly(
                        "start m1",
                        "let me see",
                        "tool_call",
                        "end tool_call",
                        "tool_result",
                        "start m2",
                        "done",
                        "end stop");
        var call = sent.get(2);
        assertThat(call.id()).isEqualTo("t1");
        assertThat(call.payload().toString())
                .contains("\"tool\":\"Bash\"", "\"params\":{\"command\":\"ls\"}", "\"Bash: ls\"");
        assertThat(sent.get(4).payload().toString())
                .contains(
                        "\"tool\":\"Bash\"", "\"result\":{\"success\":true,\"content\":\"a.txt\"}");
    }

    @Test
    void sendsDiffOfEdit() {
        message(
                """
                {"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"ok"}]},\
                "tool_use_result":{"filePath":"/w/a.txt","structuredPatch":[{"oldStart":1,"oldLines":1,\
                "newStart":1,"newLines":1,"lines":["-old","+new"]}]}}""");

        assertThat(sent.getFirst().payload().toString())
                .contains("--- /w/a.txt\\n+++ /w/a.txt\\n@@ -1,1 +1,1 @@\\n-old\\n+new\\n");
    }

    @Test
    void endsOpenStreamOnFailure() throws Exception {
        assistant("m1", text("half"));
        event(EventType.ERROR, "{\"error\":\"The engine ended\"}");
        event(EventType.DONE, "{}");

        assertThat(summary())
                .containsExactly("start m1", "half", "end error", "error", "session_end");
        assertThat(sent.get(3).payload().toString())
                .contains("\"code\":\"AGENT_ERROR\"", "The engine ended", "\"recoverable\":true");
    }

    @Test
    void reportsLengthAsFinishReason() throws Exception {
        hint("{\"type\":\"message_start\",\"message\":{\"id\":\"m1\"}}");
        delta("long");
        hint("{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"max_tokens\"}}");
        hint("{\"type\":\"message_stop\"}");

        assertThat(summary()).containsExactly("start m1", "long", "end length");
    }

    @Test
    void sendsApprovalWithCallIdAndRiskLevel() {
        event(
                EventType.APPROVAL_REQUIRED,
                """
                {"approval":{"id":"a1","sessionId":"s","kind":"tool","tool":"Bash","toolUseId":"t9",\
                "input":{"command":"rm -rf /"},"status":"pending"}}""");

        var question = sent.getFirst();
        assertThat(question.id()).isEqualTo("t9");
        assertThat(question.payload().toString())
                .contains(
                        "\"tool_call_id\":\"t9\"",
                        "\"risk_level\":\"critical\"",
                        "\"source\":\"agent_sdk\"",
                        "\"description\":\"Bash: rm -rf /\"");
    }

    private static final String RESULT =
            "{\"type\":\"user\",\"message\":{\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"t1\"}]}}";

    @Test
    void frameIdsDoNotDependOnDeltas() {
        assistant("m1", text("from the log"));
        message(RESULT);
        hint("{\"type\":\"message_start\",\"message\":{\"id\":\"m2\"}}");
        delta("in deltas");
        assistant("m2", text("in deltas"));
        hint("{\"type\":\"message_stop\"}");
        message(RESULT);

        assertThat(sent)
                .filteredOn(frame -> frame.type().equals("tool_result"))
                .extracting(GatewayFrame::id)
                .containsExactly(SESSION.value() + "/2.0", SESSION.value() + "/4.0");
        assertThat(sent)
                .filteredOn(frame -> frame.type().startsWith("stream_"))
                .extracting(GatewayFrame::id)
                .containsOnlyNulls();
    }

    /** Simulates the reconnect of a device that has confirmed the first part of a message. */
    private void reconnectAfter(String id, String text) {
        skipText(id, text);
        mapper.restartOpenMessage();
    }

    private void skipText(String id, String text) {
        var json =
                "{\"type\":\"assistant\",\"message\":{\"id\":\"%s\",\"content\":[%s]}}"
                        .formatted(id, text(text));
        mapper.skip(List.of(new LoggedEvent(++seq, TURN, EventType.MESSAGE, RawJson.of(json), 0)));
    }

    @Test
    void restartsOpenMessageAfterReconnect() throws Exception {
        reconnectAfter("m1", "first, ");
        assistant("m1", text("second"));
        event(EventType.DONE, "{}");

        assertThat(summary()).containsExactly("start m1", "first, ", "second", "end stop");
    }

    @Test
    void doesNotRepeatTextBeforeConfirmedEvent() throws Exception {
        skipText("m1", "all of it");
        mapper.skip(
                List.of(
                        new LoggedEvent(
                                ++seq,
                                TURN,
                                EventType.APPROVAL_REQUIRED,
                                RawJson.of("{\"approval\":{}}"),
                                0)));
        mapper.restartOpenMessage();
        event(EventType.DONE, "{}");

        assertThat(summary()).containsExactly("end stop");
    }

    /** An earlier connection may have sent the start of the stream again, without its text. */
    @Test
    void sendsTextAndUnloggedStreamEndAfterReconnect() throws Exception {
        reconnectAfter("m1", "all of it");
        var live = new FrameMapper(SESSION, () -> true);
        mapper.catchUpWith(live).forEach(each -> sent.add(each.frame()));

        assertThat(summary()).containsExactly("start m1", "all of it", "end stop");
    }

    @Test
    void sendsMissedTextAfterReconnect() throws Exception {
        reconnectAfter("m1", "first, ");
        var live = new FrameMapper(SESSION, () -> true);
        var json = "{\"type\":\"assistant\",\"message\":{\"id\":\"m1\",\"content\":[%s]}}";
        for (var part : List.of("first, ", "second")) {
            var data = RawJson.of(json.formatted(text(part)));
            live.skip(List.of(new LoggedEvent(1, TURN, EventType.MESSAGE, data, 0)));
        }
        mapper.catchUpWith(live).forEach(each -> sent.add(each.frame()));

        assertThat(summary()).containsExactly("start m1", "first, second");
    }

    @Test
    void skipsMessagesOfUnknownFormat() {
        message("{\"type\":\"assistant\"}");
        message("{\"type\":\"assistant\",\"message\":{\"content\":17}}");
        message("{\"type\":\"user\",\"message\":{\"content\":\"plain\"}}");
        message("{\"type\":\"stream_event\"}");
        message("[1]");
        message("{\"type\":{}}");
        event(EventType.APPROVAL_REQUIRED, "{\"approval\":7}");

        assertThat(sent)
                .extracting(GatewayFrame::type)
                .doesNotContain("tool_call", "tool_result", "error");
    }

    private String field(String type, String field) throws Exception {
        var frames = sent.stream().filter(frame -> frame.type().equals(type)).toList();
        assertThat(frames).hasSize(1);
        return frames.getFirst().fields().requireString(field);
    }

    @Test
    void streamsMessagesWithoutIds() throws Exception {
        message("{\"type\":\"assistant\",\"message\":{\"content\":\"Hello!\"}}");
        message("{\"type\":\"assistant\",\"message\":{\"content\":\" How can I help?\"}}");
        event(EventType.DONE, "{}");

        assertThat(summary())
                .containsExactly(
                        "start msg-1",
                        "Hello!",
                        "end stop",
                        "start msg-2",
                        " How can I help?",
                        "end stop");
    }

    @Test
    void sendsErrorForModelFailureAfterStreamEnd() throws Exception {
        assistant("m1", text("API Error: 400 bad"));
        message("{\"type\":\"result\",\"is_error\":true,\"result\":\"API Error: 400 bad\"}");
        event(EventType.DONE, "{}");

        assertThat(summary())
                .containsExactly("start m1", "API Error: 400 bad", "end error", "error");
        assertThat(field("error", "code")).isEqualTo("AGENT_ERROR");
        assertThat(field("error", "message")).isEqualTo("API Error: 400 bad");
        assertThat(sent.getLast().fields().isTrue("recoverable")).isTrue();
    }

    @Test
    void sendsErrorsOfResultWithoutText() throws Exception {
        message(
                "{\"type\":\"result\",\"is_error\":true,\"terminal_reason\":\"max_turns\",\"errors\":[\"Reached maximum number of turns (2)\"]}");

        assertThat(field("error", "message")).isEqualTo("Reached maximum number of turns (2)");
    }

    @Test
    void sendsNoErrorForInterruptedTurn() throws Exception {
        assistant("m1", text("I was"));
        message(
                "{\"type\":\"result\",\"is_error\":true,\"terminal_reason\":\"aborted_streaming\",\"errors\":[\"x\"]}");

        assertThat(summary()).containsExactly("start m1", "I was", "end error");
    }

    @Test
    void sendsOneErrorPerTurnForItsResult() throws Exception {
        event(EventType.ERROR, "{\"error\":\"The engine died\"}");
        message("{\"type\":\"result\",\"is_error\":true,\"result\":\"died\"}");

        assertThat(field("error", "message")).isEqualTo("The engine died");
    }

    @Test
    void sendsReasonOfClientThatEndedSession() throws Exception {
        event(EventType.LIFECYCLE, "{\"action\":\"ended\",\"reason\":\"timeout\"}");
        assertThat(field("session_end", "reason")).isEqualTo("timeout");
        sent.clear();

        event(EventType.LIFECYCLE, "{\"action\":\"ended\"}");
        assertThat(field("session_end", "reason")).isEqualTo("user_request");
    }

    @Test
    void sendsEachNoticeOncePerTurnAsNotification() throws Exception {
        var retry =
                "{\"type\":\"system\",\"subtype\":\"api_retry\",\"attempt\":%d,\"max_retries\":10,\"error_status\":401}";
        for (int attempt = 1; attempt <= 10; attempt++) {
            message(retry.formatted(attempt));
        }
        event(
                EventType.NETWORK_BLOCKED,
                "{\"host\":\"h.example\",\"port\":443,\"reason\":\"add it to network.allow\"}");
        event(EventType.DONE, "{}");
        message(retry.formatted(1));

        assertThat(summary()).containsExactly("notification", "notification", "notification");
        var key = sent.getFirst();
        assertThat(key.id()).isEqualTo(SESSION.value() + "/1.0");
        assertThat(key.fields().string("notification_id")).contains(key.id());
        assertThat(key.fields().string("notification_type")).contains("info");
        assertThat(key.fields().string("priority")).contains("normal");
        assertThat(key.fields().requireString("title")).isEqualTo("Waiting for the model");
        assertThat(key.fields().requireString("body")).contains("(HTTP 401)", "ash credentials");
        assertThat(sent.get(1).fields().requireString("body")).contains("--allow h.example");
        assertThat(sent.get(2).id()).isNotEqualTo(key.id());
    }
}
