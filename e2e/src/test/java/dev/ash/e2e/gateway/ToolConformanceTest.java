package dev.ash.e2e.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.e2e.AshExtension;
import dev.ash.e2e.NeedsClaude;
import dev.ash.e2e.Script;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests tool calls of the real CLI and their results. */
@NeedsClaude
class ToolConformanceTest {
    @RegisterExtension
    static final AshExtension ash = AshExtension.claude().gateway().sampleProject();

    private static Phone phone;
    private static String session;

    @BeforeAll
    static void start() {
        phone = Phone.enter(ash.pair());
        session = phone.start("claude-code", ash.project().directory());
    }

    @AfterAll
    static void stop() {
        phone.close();
    }

    @TestFactory
    Stream<DynamicTest> sendsADiffWithTheResultOfAnEdit() {
        var file = ash.project().directory() + "/src/Main.java";
        phone.say(
                session,
                Script.tool("Read", Map.of("file_path", file))
                        + "\n"
                        + Script.tool(
                                "Edit",
                                Map.of(
                                        "file_path",
                                        file,
                                        "old_string",
                                        "plums = 1",
                                        "new_string",
                                        "plums = 2"))
                        + "\nSAY:edited");
        var asked = phone.until(Phone.is("approval_required", session)).getLast();
        phone.approve(asked);
        var result = phone.until(Phone.is("tool_result", session)).getLast().path("payload");
        phone.awaitEnd(session);
        assertThat(ash.project().read("src/Main.java")).contains("plums = 2");
        return Stream.concat(
                Checks.of("tool_result", result)
                        .equal("session_id", session)
                        .equal("tool", "Edit")
                        .equal("tool_call_id", asked.at("/payload/tool_call_id").asString())
                        .equal("result/success", true)
                        .text("result/content")
                        .text("result/diff")
                        .absent("result/error")
                        .all(),
                Stream.of(
                        DynamicTest.dynamicTest(
                                "tool_result.result.diff is a unified diff",
                                () ->
                                        assertThat(result.at("/result/diff").asString())
                                                .contains(
                                                        "--- ",
                                                        "+++ ",
                                                        "@@ -",
                                                        "-    int plums = 1;")
                                                .contains("+    int plums = 2;"))));
    }

    @Test
    void sendsCallsThatNeedNoApproval() {
        var frames =
                phone.turn(
                        session,
                        Script.tool(
                                        "Read",
                                        Map.of(
                                                "file_path",
                                                ash.project().directory() + "/notes.txt"))
                                + "\nSAY:read");
        assertThat(Phone.types(frames))
                .containsSubsequence("tool_call", "tool_result", "stream_end")
                .doesNotContain("approval_required");
        var result = Phone.only("tool_result", frames).getFirst().path("payload");
        assertThat(result.at("/result/content").asString()).contains("three");
        assertThat(result.at("/result/diff").isMissingNode()).isTrue();
    }

    @Test
    void derivesTheRiskFromTheArguments() {
        assertThat(risk("touch made.txt")).isEqualTo("high");
        assertThat(risk("rm -rf src")).isEqualTo("critical");
    }

    private static String risk(String command) {
        phone.say(session, Script.bash(command) + "\nSAY:risk");
        var asked = phone.await("approval_required", session);
        phone.decide(asked, "rejected", Map.of());
        phone.awaitEnd(session);
        return asked.at("/payload/risk_level").asString();
    }
}
