package dev.ash.server.hooks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.SessionId;
import dev.ash.server.event.EventType;
import dev.ash.server.event.LoggedEvent;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HookQuestionsTest {
    private static final String ID = "f2b8a881-b390-4952-babb-e1e9f340c9da";
    private static final String BASH =
            ",\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"rm -r build\",\"description\":\"Clean\"}";

    @TempDir Path directory;
    private HookFixture fixture;

    @BeforeEach
    void open() {
        fixture = new HookFixture(directory, Duration.ofSeconds(60));
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    private static String event(String name, String more) {
        return HookRoutesTest.event(name, more);
    }

    private static String answerOf(HookFixture.Waiting waiting) throws Exception {
        var answer = waiting.answer().get(20, TimeUnit.SECONDS);
        assertThat(answer.status()).isEqualTo(200);
        return answer.body();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            textBlock =
                    """
                    {"decision":"approved"} | {"behavior":"allow"}
                    {"decision":"modified","input":{"command":"ls"}} | {"behavior":"allow","updatedInput":{"command":"ls"}}
                    {"decision":"rejected"} | {"behavior":"deny","message":"The user rejected this."}
                    {"decision":"rejected","message":"not on a Friday"} | {"behavior":"deny","message":"not on a Friday"}
                    """)
    void answersPermissionRequest(String decision, String expected) throws Exception {
        var waiting = fixture.startAskingHook(event("PermissionRequest", BASH));

        assertThat(waiting.approval().tool()).isEqualTo("Bash");
        assertThat(waiting.approval().description()).isEqualTo("Clean");
        assertThat(waiting.approval().source()).isEqualTo("hooks");
        assertThat(waiting.approval().sessionId()).isEqualTo(ID);
        assertThat(waiting.approval().expiresAt()).isNotNull();
        assertThat(fixture.decide(waiting.approval(), decision).status()).isEqualTo(200);

        assertThat(answerOf(waiting))
                .isEqualTo(
                        "{\"hookSpecificOutput\":{\"hookEventName\":\"PermissionRequest\",\"decision\":"
                                + expected
                                + "}}");
        assertThat(types())
                .containsExactly(
                        EventType.HOOK, EventType.APPROVAL_REQUIRED, EventType.APPROVAL_RESOLVED);
        assertThat(fixture.decide(waiting.approval(), decision).status()).isEqualTo(409);
        assertThat(fixture.woken).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            textBlock =
                    """
                    {"decision":"approved"} | "permissionDecision":"allow"
                    {"decision":"modified","input":{"command":"ls"}} | "permissionDecision":"allow","updatedInput":{"command":"ls"}
                    {"decision":"rejected","message":"no"} | "permissionDecision":"deny","permissionDecisionReason":"no"
                    """)
    void answersMarkedPreToolUse(String decision, String expected) throws Exception {
        var waiting =
                fixture.startAskingHook(event("PreToolUse", BASH + ",\"tool_use_id\":\"toolu_1\""));

        assertThat(waiting.approval().toolUseId()).isEqualTo("toolu_1");
        fixture.decide(waiting.approval(), decision);

        assertThat(answerOf(waiting))
                .isEqualTo(
                        "{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\","
                                + expected
                                + "}}");
        assertThat(types())
                .as("the event is reported by another hook")
                .containsExactly(EventType.APPROVAL_REQUIRED, EventType.APPROVAL_RESOLVED);
    }

    @Test
    void findsCallIdOfPermissionRequest() throws Exception {
        fixture.hook(event("PreToolUse", BASH + ",\"tool_use_id\":\"toolu_old\""));
        fixture.hook(event("PostToolUse", BASH + ",\"tool_use_id\":\"toolu_old\""));
        fixture.hook(event("PreToolUse", BASH + ",\"tool_use_id\":\"toolu_1\""));
        fixture.hook(
                event(
                        "PreToolUse",
                        ",\"tool_name\":\"Bash\",\"tool_input\":{},\"tool_use_id\":\"toolu_2\""));
        var waiting = fixture.startHook(event("PermissionRequest", BASH));

        assertThat(waiting.approval().toolUseId()).isEqualTo("toolu_1");
        fixture.hook(event("PostToolUse", BASH + ",\"tool_use_id\":\"toolu_1\""));
        assertThat(answerOf(waiting)).as("answered in the terminal").isEqualTo("{}");
    }

    @Test
    void matchesEqualCallsToDifferentIds() throws Exception {
        fixture.hook(event("PreToolUse", BASH + ",\"tool_use_id\":\"toolu_1\""));
        fixture.hook(event("PreToolUse", BASH + ",\"tool_use_id\":\"toolu_2\""));
        var first = fixture.startHook(event("PermissionRequest", BASH));
        fixture.decide(first.approval(), "{\"decision\":\"approved\"}");
        answerOf(first);
        var second = fixture.startHook(event("PermissionRequest", BASH));
        fixture.decide(second.approval(), "{\"decision\":\"approved\"}");
        answerOf(second);

        assertThat(List.of(first.approval().toolUseId(), second.approval().toolUseId()))
                .containsExactly("toolu_1", "toolu_2");
    }

    @Test
    void keepsDescriptionAndRiskLevelOfForwarder() throws Exception {
        var waiting =
                fixture.startHook(
                        "{\"event_type\":\"PreToolUse\",\"session_id\":\"sess-1\",\"payload\":{\"tool\":\"run_command\",\"params\":{\"command\":\"flutter build apk\"},\"requires_approval\":true,\"description\":\"Build Android APK\",\"risk_level\":\"medium\"}}");

        assertThat(waiting.approval().description()).isEqualTo("Build Android APK");
        assertThat(waiting.approval().riskLevel()).isEqualTo("medium");
        fixture.decide(waiting.approval(), "{\"decision\":\"approved\"}");
        answerOf(waiting);
    }

    @Test
    void ignoresUnknownRiskLevel() throws Exception {
        var waiting =
                fixture.startHook(
                        "{\"event_type\":\"PreToolUse\",\"session_id\":\"sess-1\",\"payload\":{\"tool\":\"x\",\"requires_approval\":true,\"risk_level\":\"none\"}}");

        assertThat(waiting.approval().riskLevel()).isNull();
        fixture.decide(waiting.approval(), "{\"decision\":\"approved\"}");
        answerOf(waiting);
    }

    @Test
    void sendsQuestionsWithAnswers() throws Exception {
        var waiting =
                fixture.startAskingHook(
                        event(
                                "PermissionRequest",
                                ",\"tool_name\":\"AskUserQuestion\",\"tool_input\":{\"questions\":[1]}"));

        assertThat(waiting.approval().kind()).isEqualTo("question");
        fixture.decide(
                waiting.approval(),
                "{\"decision\":\"modified\",\"input\":{\"answers\":{\"Which?\":\"Red\"}}}");

        assertThat(answerOf(waiting))
                .contains("\"updatedInput\":{\"questions\":[1],\"answers\":{\"Which?\":\"Red\"}}");
    }

    @Test
    void allowsToolApprovedForSession() throws Exception {
        var waiting = fixture.startAskingHook(event("PermissionRequest", BASH));
        fixture.decide(waiting.approval(), "{\"decision\":\"approved\",\"scope\":\"session\"}");
        answerOf(waiting);

        assertThat(fixture.hook(event("PermissionRequest", BASH)).body())
                .contains("\"behavior\":\"allow\"");
    }

    @Test
    void asksAgainForRepeatedCall() throws Exception {
        var first = fixture.startAskingHook(event("PermissionRequest", BASH));
        fixture.decide(first.approval(), "{\"decision\":\"approved\"}");
        answerOf(first);

        var second = fixture.startAskingHook(event("PermissionRequest", BASH));

        assertThat(second.approval().id()).isNotEqualTo(first.approval().id());
        fixture.decide(second.approval(), "{\"decision\":\"rejected\"}");
        assertThat(answerOf(second)).contains("deny");
    }

    @Test
    void asksForPayloadEventsThatRequireApproval() throws Exception {
        var body =
                "{\"event_type\":\"PreToolUse\",\"session_id\":\"%s\",\"payload\":{\"tool\":\"run_command\",\"params\":{\"command\":\"make\"},\"requires_approval\":%s}}";

        assertThat(fixture.hook(body.formatted(ID, false)).body()).contains("\"received\":true");
        var waiting = fixture.startHook(body.formatted(ID, true));
        assertThat(waiting.approval().tool()).isEqualTo("run_command");
        assertThat(waiting.approval().input()).hasToString("{\"command\":\"make\"}");
        fixture.decide(waiting.approval(), "{\"decision\":\"approved\"}");

        assertThat(answerOf(waiting)).contains("\"permissionDecision\":\"allow\"");
    }

    @Test
    void asksNothingWithoutTool() throws Exception {
        assertThat(fixture.hook(event("PermissionRequest", "")).body()).isEqualTo("{}");
        assertThat(fixture.askingHook(event("PreToolUse", "")).body()).contains("\"ask\"");
        assertThat(fixture.approvals("")).isEmpty();
    }

    @Test
    void doesNotAskForReportedToolCall() throws Exception {
        assertThat(fixture.hook(event("PreToolUse", BASH)).body()).isEqualTo("{}");
        assertThat(fixture.approvals("")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"PermissionRequest", "PreToolUse"})
    void requestsTerminalPromptOnTimeout(String name) throws Exception {
        fixture.close();
        fixture = new HookFixture(directory, Duration.ofMillis(200));

        var answer = fixture.askingHook(event(name, BASH));

        assertThat(answer.body())
                .isEqualTo(
                        name.equals("PreToolUse")
                                ? "{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":\"ask\",\"permissionDecisionReason\":\"No answer was given through Ash\"}}"
                                : "{}");
        assertThat(fixture.approvals("")).extracting("status").containsExactly("expired");
    }

    @Test
    void requestsTerminalPromptOnShutdown() throws Exception {
        var waiting = fixture.startAskingHook(event("PermissionRequest", BASH));

        fixture.hooks.close();

        assertThat(answerOf(waiting)).isEqualTo("{}");
        assertThat(fixture.hook(event("PermissionRequest", BASH)).body()).isEqualTo("{}");
    }

    @ParameterizedTest
    @CsvSource({
        "PostToolUse, true",
        "PostToolUseFailure, true",
        "Stop, true",
        "SessionEnd, true",
        "Notification, false"
    })
    void cancelsQuestionAnsweredInTerminal(String next, boolean isCancelled) throws Exception {
        var waiting = fixture.startAskingHook(event("PermissionRequest", BASH));

        fixture.hook(
                event(
                        "PostToolUse",
                        ",\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"ls\"}"));
        assertThat(fixture.approvals("?status=pending")).as("another call").hasSize(1);
        fixture.hook(event(next, BASH));

        if (isCancelled) {
            assertThat(answerOf(waiting)).isEqualTo("{}");
            assertThat(statusAfter(waiting)).isEqualTo("cancelled");
        } else {
            assertThat(fixture.approvals("?status=pending")).hasSize(1);
        }
    }

    /** Waits for the writer: the response is sent before the row is written. */
    private String statusAfter(HookFixture.Waiting waiting) throws IOException {
        fixture.events.flush();
        return fixture.approvals("?sessionId=" + waiting.approval().sessionId())
                .getFirst()
                .status();
    }

    @Test
    void cancelsQuestionOfDisconnectedTerminal() throws Exception {
        var body = event("PermissionRequest", BASH);
        try (var socket = new Socket("127.0.0.1", fixture.port)) {
            socket.getOutputStream()
                    .write(
                            ("POST /hooks/event HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
                                            + HookFixture.TOKEN
                                            + "\r\nContent-Length: "
                                            + body.length()
                                            + "\r\n\r\n"
                                            + body)
                                    .getBytes(StandardCharsets.UTF_8));
            fixture.awaitPending();
        }

        try (var subscription = fixture.events.subscribe(new SessionId(ID), 0)) {
            LoggedEvent event;
            do {
                event = subscription.next(Duration.ofSeconds(20));
                assertThat(event).as("until it is resolved").isNotNull();
            } while (event.type() != EventType.APPROVAL_RESOLVED);
            assertThat(event.data().toString()).contains("\"status\":\"cancelled\"");
        }
    }

    @Test
    void cancelsQuestionsOfKilledServer() throws Exception {
        var waiting = fixture.startAskingHook(event("PermissionRequest", BASH));
        var copy = directory.resolve("copy");
        Files.createDirectory(copy);
        fixture.database.writer().write(transaction -> 0); // flush earlier writes to disk
        for (var name : List.of("ash.db", "ash.db-wal")) {
            Files.copy(directory.resolve(name), copy.resolve(name));
        }

        try (var next = new HookFixture(copy, Duration.ofSeconds(60))) {
            var left = next.approvals("");
            assertThat(left).extracting("status").containsExactly("cancelled");
            var again = next.startAskingHook(event("PermissionRequest", BASH));
            assertThat(again.approval().id()).isNotEqualTo(waiting.approval().id());
        }
    }

    private List<EventType> types() throws InterruptedException {
        fixture.events.flush();
        var found = new ArrayList<EventType>();
        try (var subscription = fixture.events.subscribe(new SessionId(ID), 0)) {
            for (var event : subscription.nextBatch(Duration.ZERO)) {
                found.add(event.type());
            }
        }
        return found;
    }
}
