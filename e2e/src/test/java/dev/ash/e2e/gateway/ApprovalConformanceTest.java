package dev.ash.e2e.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.e2e.AshExtension;
import dev.ash.e2e.NeedsClaude;
import dev.ash.e2e.Script;
import dev.ash.e2e.model.ModelRequest.ToolResult;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

/** Tests approvals of tools of the real CLI, decided on a device. */
@NeedsClaude
class ApprovalConformanceTest {
    @RegisterExtension
    static final AshExtension ash = AshExtension.claude().gateway().sampleProject();

    private static Phone phone;
    private static String session;

    @AfterAll
    static void stop() {
        phone.close();
    }

    @BeforeEach
    void connect() {
        if (phone != null) {
            phone.close();
        }
        phone = Phone.enter(ash.pair());
        session = phone.start("claude-code", ash.project().directory());
    }

    private static boolean isAsked(JsonNode frame) {
        return Phone.is("approval_required", session).test(frame);
    }

    /** Returns the tool result that the model received. */
    private static ToolResult result(String word) {
        return ash.model()
                .await(
                        request ->
                                request.isTurn()
                                        && request.everything().contains(word)
                                        && !request.toolResults().isEmpty())
                .toolResults()
                .getLast();
    }

    @TestFactory
    Stream<DynamicTest> sendsToolCallAndApprovalRequiredWithTheSameIds() {
        phone.say(session, Script.bash("touch asked.txt") + "\nSAY:asked");
        var frames = phone.until(ApprovalConformanceTest::isAsked);
        var asked = frames.getLast();
        var calls = Phone.only("tool_call", frames);
        assertThat(calls).hasSize(1);
        var called = calls.getFirst();
        assertThat(ash.project().path().resolve("asked.txt")).doesNotExist();
        phone.approve(asked);
        phone.awaitEnd(session);
        assertThat(ash.project().path().resolve("asked.txt")).exists();
        var id = called.at("/payload/tool_call_id").asString();
        return Stream.of(
                        Checks.of("tool_call", called.path("payload"))
                                .equal("session_id", session)
                                .text("tool_call_id", "description")
                                .equal("tool", "Bash")
                                .equal("params/command", "touch asked.txt")
                                .all(),
                        Checks.of("approval_required", asked.path("payload"))
                                .equal("session_id", session)
                                .equal("tool_call_id", id)
                                .equal("tool", "Bash")
                                .equal("params/command", "touch asked.txt")
                                .text("description")
                                .text("risk_level")
                                .equal("source", "agent_sdk")
                                .all(),
                        Stream.of(
                                DynamicTest.dynamicTest(
                                        "approval_required repeats the id of tool_call",
                                        () -> {
                                            assertThat(called.path("id").asString()).isNotBlank();
                                            assertThat(asked.path("id"))
                                                    .isEqualTo(called.path("id"));
                                        }),
                                DynamicTest.dynamicTest(
                                        "risk_level is low, medium, high or critical",
                                        () ->
                                                assertThat(
                                                                asked.at("/payload/risk_level")
                                                                        .asString())
                                                        .isIn(
                                                                "low",
                                                                "medium",
                                                                "high",
                                                                "critical"))))
                .flatMap(each -> each);
    }

    @Test
    void reportsARejectedCallToTheModelWithoutRunningIt() {
        phone.say(session, Script.bash("touch rejected.txt") + "\nSAY:went without it");
        var asked = phone.await("approval_required", session);
        phone.decide(asked, "rejected", Map.of("message", "not on a Sunday"));
        var result = phone.await("tool_result", session).path("payload");
        assertThat(result.at("/result/success").asBoolean(true)).isFalse();
        assertThat(result.at("/result/error").asString()).contains("not on a Sunday");
        phone.awaitEnd(session);
        assertThat(ash.project().path().resolve("rejected.txt")).doesNotExist();
        assertThat(result("went without it").isError()).isTrue();
    }

    @Test
    void runsAModifiedCallWithTheNewParams() {
        phone.say(session, Script.bash("echo model > who.txt") + "\nSAY:as modified");
        var asked = phone.await("approval_required", session);
        phone.decide(
                asked,
                "modified",
                Map.of("modifications", Map.of("command", "echo person > who.txt; echo changed")));
        var result = phone.await("tool_result", session).path("payload");
        assertThat(result.at("/result/content").asString()).contains("changed");
        phone.awaitEnd(session);
        assertThat(ash.project().read("who.txt")).isEqualTo("person\n");
        assertThat(result("as modified").text()).contains("changed");
    }

    @Test
    void rejectsModifiedWithoutModificationsAndKeepsTheQuestionOpen() {
        phone.say(session, Script.bash("touch still-open.txt") + "\nSAY:still open");
        var asked = phone.await("approval_required", session).path("payload");
        var answer =
                Map.of(
                        "session_id",
                        session,
                        "tool_call_id",
                        asked.path("tool_call_id").asString(),
                        "decision",
                        "modified");
        phone.assertError("approval_response", answer, "TOOL_ERROR", true);
        assertThat(ash.project().path().resolve("still-open.txt")).doesNotExist();
        phone.client()
                .send(
                        "approval_response",
                        "resp-1",
                        Map.of(
                                "session_id",
                                session,
                                "tool_call_id",
                                asked.path("tool_call_id").asString(),
                                "decision",
                                "approved"));
        phone.awaitEnd(session);
        assertThat(ash.project().path().resolve("still-open.txt")).exists();
    }

    @Test
    void rejectsAnAnswerToAnUnknownCall() {
        phone.assertError(
                "approval_response",
                Map.of("session_id", session, "tool_call_id", "call-x", "decision", "approved"),
                "TOOL_ERROR",
                true);
    }

    @Test
    void rejectsASecondAnswer() {
        phone.say(session, Script.bash("true") + "\nSAY:answered twice");
        var asked = phone.await("approval_required", session);
        phone.approve(asked);
        phone.awaitEnd(session);
        phone.assertError(
                "approval_response",
                Map.of(
                        "session_id",
                        session,
                        "tool_call_id",
                        asked.at("/payload/tool_call_id").asString(),
                        "decision",
                        "rejected"),
                "TOOL_ERROR",
                true);
    }

    @Test
    void rejectsAnUnknownDecisionAndKeepsTheQuestionOpen() {
        phone.say(session, Script.bash("true") + "\nSAY:decided");
        var asked = phone.await("approval_required", session);
        phone.assertError(
                "approval_response",
                Map.of(
                        "session_id",
                        session,
                        "tool_call_id",
                        asked.at("/payload/tool_call_id").asString(),
                        "decision",
                        "perhaps"),
                "BRIDGE_ERROR",
                true);
        phone.approve(asked);
        phone.awaitEnd(session);
    }

    @Test
    void repeatsAnOpenQuestionOnTheNextConnection() {
        phone.say(session, Script.bash("touch later.txt") + "\nSAY:later");
        var asked = phone.await("approval_required", session);
        phone = phone.reconnect();
        var again = phone.await("approval_required", session);
        assertThat(again.path("payload")).isEqualTo(asked.path("payload"));
        phone.approve(again);
        phone.awaitEnd(session);
        assertThat(ash.project().path().resolve("later.txt")).exists();
    }
}
