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

    @TempDir Path folder;
    private HookWorld world;

    @BeforeEach
    void open() {
        world = new HookWorld(folder, Duration.ofSeconds(60));
    }

    @AfterEach
    void close() {
        world.close();
    }

    private static String event(String name, String more) {
        return HookRoutesTest.event(name, more);
    }

    private static String answerOf(HookWorld.Waiting waiting) throws Exception {
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
                    {"decision":"rejected"} | {"behavior":"deny","message":"A person rejected this."}
                    {"decision":"rejected","message":"not on a Friday"} | {"behavior":"deny","message":"not on a Friday"}
                    """)
    void aPermissionRequestGetsThePersonsDecision(String decision, String told) throws Exception {
        var waiting = world.asks(event("PermissionRequest", BASH));

        assertThat(waiting.approval().tool()).isEqualTo("Bash");
        assertThat(waiting.approval().description()).isEqualTo("Clean");
        assertThat(waiting.approval().source()).isEqualTo("hooks");
        assertThat(waiting.approval().sessionId()).isEqualTo(ID);
        assertThat(waiting.approval().expiresAt()).isNotNull();
        assertThat(world.decide(waiting.approval(), decision).status()).isEqualTo(200);

        assertThat(answerOf(waiting))
                .isEqualTo(
                        "{\"hookSpecificOutput\":{\"hookEventName\":\"PermissionRequest\",\"decision\":"
                                + told
                                + "}}");
        assertThat(types())
                .containsExactly(
                        EventType.HOOK, EventType.APPROVAL_REQUIRED, EventType.APPROVAL_RESOLVED);
        assertThat(world.decide(waiting.approval(), decision).status()).isEqualTo(409);
        assertThat(world.woken).isEmpty();
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
    void aToolThatIsToBeAskedAboutDoesToo(String decision, String told) throws Exception {
        var waiting = world.asks(event("PreToolUse", BASH + ",\"tool_use_id\":\"toolu_1\""));

        assertThat(waiting.approval().toolUseId()).isEqualTo("toolu_1");
        world.decide(waiting.approval(), decision);

        assertThat(answerOf(waiting))
                .isEqualTo(
                        "{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\"," + told + "}}");
        assertThat(types())
                .as("the report comes by a hook of its own")
                .containsExactly(EventType.APPROVAL_REQUIRED, EventType.APPROVAL_RESOLVED);
    }

    @Test
    void aPermissionRequestHasTheIdOfThePendingCall() throws Exception {
        world.hook(event("PreToolUse", BASH + ",\"tool_use_id\":\"toolu_old\""));
        world.hook(event("PostToolUse", BASH + ",\"tool_use_id\":\"toolu_old\""));
        world.hook(event("PreToolUse", BASH + ",\"tool_use_id\":\"toolu_1\""));
        world.hook(
                event(
                        "PreToolUse",
                        ",\"tool_name\":\"Bash\",\"tool_input\":{},\"tool_use_id\":\"toolu_2\""));
        var waiting = world.asksPlainly(event("PermissionRequest", BASH));

        assertThat(waiting.approval().toolUseId()).isEqualTo("toolu_1");
        world.hook(event("PostToolUse", BASH + ",\"tool_use_id\":\"toolu_1\""));
        assertThat(answerOf(waiting)).as("answered in the terminal").isEqualTo("{}");
    }

    @Test
    void twoEqualCallsAreAskedAboutUnderTheirOwnIds() throws Exception {
        world.hook(event("PreToolUse", BASH + ",\"tool_use_id\":\"toolu_1\""));
        world.hook(event("PreToolUse", BASH + ",\"tool_use_id\":\"toolu_2\""));
        var first = world.asksPlainly(event("PermissionRequest", BASH));
        world.decide(first.approval(), "{\"decision\":\"approved\"}");
        answerOf(first);
        var second = world.asksPlainly(event("PermissionRequest", BASH));
        world.decide(second.approval(), "{\"decision\":\"approved\"}");
        answerOf(second);

        assertThat(List.of(first.approval().toolUseId(), second.approval().toolUseId()))
                .containsExactly("toolu_1", "toolu_2");
    }

    @Test
    void theForwardersDescriptionAndRiskAreKept() throws Exception {
        var waiting =
                world.asksPlainly(
                        "{\"event_type\":\"PreToolUse\",\"session_id\":\"sess-1\",\"payload\":{\"tool\":\"run_command\",\"params\":{\"command\":\"flutter build apk\"},\"requires_approval\":true,\"description\":\"Build Android APK\",\"risk_level\":\"medium\"}}");

        assertThat(waiting.approval().description()).isEqualTo("Build Android APK");
        assertThat(waiting.approval().riskLevel()).isEqualTo("medium");
        world.decide(waiting.approval(), "{\"decision\":\"approved\"}");
        answerOf(waiting);
    }

    @Test
    void aRiskThatNobodyKnowsIsLeftOut() throws Exception {
        var waiting =
                world.asksPlainly(
                        "{\"event_type\":\"PreToolUse\",\"session_id\":\"sess-1\",\"payload\":{\"tool\":\"x\",\"requires_approval\":true,\"risk_level\":\"none\"}}");

        assertThat(waiting.approval().riskLevel()).isNull();
        world.decide(waiting.approval(), "{\"decision\":\"approved\"}");
        answerOf(waiting);
    }

    @Test
    void answersToAQuestionGoWithTheQuestion() throws Exception {
        var waiting =
                world.asks(
                        event(
                                "PermissionRequest",
                                ",\"tool_name\":\"AskUserQuestion\",\"tool_input\":{\"questions\":[1]}"));

        assertThat(waiting.approval().kind()).isEqualTo("question");
        world.decide(
                waiting.approval(),
                "{\"decision\":\"modified\",\"input\":{\"answers\":{\"Which?\":\"Red\"}}}");

        assertThat(answerOf(waiting))
                .contains("\"updatedInput\":{\"questions\":[1],\"answers\":{\"Which?\":\"Red\"}}");
    }

    @Test
    void aToolThatPassesInTheSessionIsNotAskedAgain() throws Exception {
        var waiting = world.asks(event("PermissionRequest", BASH));
        world.decide(waiting.approval(), "{\"decision\":\"approved\",\"scope\":\"session\"}");
        answerOf(waiting);

        assertThat(world.hook(event("PermissionRequest", BASH)).body())
                .contains("\"behavior\":\"allow\"");
    }

    @Test
    void theSameCallAsksAnewEachTime() throws Exception {
        var first = world.asks(event("PermissionRequest", BASH));
        world.decide(first.approval(), "{\"decision\":\"approved\"}");
        answerOf(first);

        var second = world.asks(event("PermissionRequest", BASH));

        assertThat(second.approval().id()).isNotEqualTo(first.approval().id());
        world.decide(second.approval(), "{\"decision\":\"rejected\"}");
        assertThat(answerOf(second)).contains("deny");
    }

    @Test
    void anotherForwarderAsksWhereItSaysSo() throws Exception {
        var body =
                "{\"event_type\":\"PreToolUse\",\"session_id\":\"%s\",\"payload\":{\"tool\":\"run_command\",\"params\":{\"command\":\"make\"},\"requires_approval\":%s}}";

        assertThat(world.hook(body.formatted(ID, false)).body()).contains("\"received\":true");
        var waiting = world.asksPlainly(body.formatted(ID, true));
        assertThat(waiting.approval().tool()).isEqualTo("run_command");
        assertThat(waiting.approval().input()).hasToString("{\"command\":\"make\"}");
        world.decide(waiting.approval(), "{\"decision\":\"approved\"}");

        assertThat(answerOf(waiting)).contains("\"permissionDecision\":\"allow\"");
    }

    @Test
    void thereIsNoQuestionWithoutATool() throws Exception {
        assertThat(world.hook(event("PermissionRequest", "")).body()).isEqualTo("{}");
        assertThat(world.askingHook(event("PreToolUse", "")).body()).contains("\"ask\"");
        assertThat(world.approvals("")).isEmpty();
    }

    @Test
    void aToolCallThatIsOnlyReportedWaitsForNobody() throws Exception {
        assertThat(world.hook(event("PreToolUse", BASH)).body()).isEqualTo("{}");
        assertThat(world.approvals("")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"PermissionRequest", "PreToolUse"})
    void whereNobodyAnswersTheTerminalAsks(String name) throws Exception {
        world.close();
        world = new HookWorld(folder, Duration.ofMillis(200));

        var answer = world.askingHook(event(name, BASH));

        assertThat(answer.body())
                .isEqualTo(
                        name.equals("PreToolUse")
                                ? "{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":\"ask\",\"permissionDecisionReason\":\"Nobody answered through Ash\"}}"
                                : "{}");
        assertThat(world.approvals("")).extracting("status").containsExactly("expired");
    }

    @Test
    void aServerThatEndsLeavesTheQuestionToTheTerminal() throws Exception {
        var waiting = world.asks(event("PermissionRequest", BASH));

        world.hooks.close();

        assertThat(answerOf(waiting)).isEqualTo("{}");
        assertThat(world.hook(event("PermissionRequest", BASH)).body()).isEqualTo("{}");
    }

    @ParameterizedTest
    @CsvSource({
        "PostToolUse, true",
        "PostToolUseFailure, true",
        "Stop, true",
        "SessionEnd, true",
        "Notification, false"
    })
    void whatTheTerminalAnsweredItselfIsAskedNoMore(String next, boolean over) throws Exception {
        var waiting = world.asks(event("PermissionRequest", BASH));

        world.hook(
                event(
                        "PostToolUse",
                        ",\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"ls\"}"));
        assertThat(world.approvals("?status=pending")).as("another call").hasSize(1);
        world.hook(event(next, BASH));

        if (over) {
            assertThat(answerOf(waiting)).isEqualTo("{}");
            assertThat(statusAfter(waiting)).isEqualTo("cancelled");
        } else {
            assertThat(world.approvals("?status=pending")).hasSize(1);
        }
    }

    /** The answer leaves before the row is written. */
    private String statusAfter(HookWorld.Waiting waiting) throws IOException {
        world.events.flush();
        return world.approvals("?sessionId=" + waiting.approval().sessionId()).getFirst().status();
    }

    @Test
    void aTerminalThatWentAwayIsAskedForNoMore() throws Exception {
        var body = event("PermissionRequest", BASH);
        try (var socket = new Socket("127.0.0.1", world.port)) {
            socket.getOutputStream()
                    .write(
                            ("POST /hooks/event HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
                                            + HookWorld.TOKEN
                                            + "\r\nContent-Length: "
                                            + body.length()
                                            + "\r\n\r\n"
                                            + body)
                                    .getBytes(StandardCharsets.UTF_8));
            world.awaitPending();
        }

        try (var subscription = world.events.subscribe(new SessionId(ID), 0)) {
            LoggedEvent event;
            do {
                event = subscription.next(Duration.ofSeconds(20));
                assertThat(event).as("until it is resolved").isNotNull();
            } while (event.type() != EventType.APPROVAL_RESOLVED);
            assertThat(event.data().toString()).contains("\"status\":\"cancelled\"");
        }
    }

    @Test
    void questionsOfAServerThatWasKilledAreCancelled() throws Exception {
        var waiting = world.asks(event("PermissionRequest", BASH));
        var copy = folder.resolve("copy");
        Files.createDirectory(copy);
        world.database.writer().write(transaction -> 0); // all that came before is on the disk
        for (var name : List.of("ash.db", "ash.db-wal")) {
            Files.copy(folder.resolve(name), copy.resolve(name));
        }

        try (var next = new HookWorld(copy, Duration.ofSeconds(60))) {
            var left = next.approvals("");
            assertThat(left).extracting("status").containsExactly("cancelled");
            var again = next.asks(event("PermissionRequest", BASH));
            assertThat(again.approval().id()).isNotEqualTo(waiting.approval().id());
        }
    }

    private List<EventType> types() throws InterruptedException {
        world.events.flush();
        var found = new ArrayList<EventType>();
        try (var subscription = world.events.subscribe(new SessionId(ID), 0)) {
            for (var event : subscription.nextBatch(Duration.ZERO)) {
                found.add(event.type());
            }
        }
        return found;
    }
}
