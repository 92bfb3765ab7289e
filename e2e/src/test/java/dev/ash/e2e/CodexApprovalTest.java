package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests approvals with the real Codex CLI. */
@NeedsCodex
class CodexApprovalTest {
    @RegisterExtension
    static final AshExtension ash =
            AshExtension.codex()
                    .agent(
                            "asker",
                            Map.of(
                                    "CLAUDE.md",
                                    "x",
                                    "echo.py",
                                    Resources.text("engines/mcp_echo.py"),
                                    ".mcp.json",
                                    "{\"mcpServers\":{\"echo\":{\"command\":\"python3\",\"args\":[\"/workspace/echo.py\"]}}}",
                                    ".claude/settings.json",
                                    "{\"permissions\":{\"allow\":[\"Bash(git:*)\"]}}"));

    private static TestSession asking() {
        return ash.session(Map.of("agent", "asker", "permissionMode", "ask"));
    }

    @Test
    void commandWaitsForApprovalAndRunsOnce() {
        var session = asking();
        try (var turn =
                session.send(CodexTurnTest.run("echo x >> approved.txt") + "\nSAY:it ran")) {
            var question = session.awaitApproval();
            assertThat(question.path("tool").asString()).isEqualTo("Bash");
            assertThat(question.path("input").toString())
                    .isEqualTo("{\"command\":\"echo x >> approved.txt\"}");
            assertThat(session.sandbox().resolve("workspace/approved.txt")).doesNotExist();

            session.approve(question);

            assertThat(Frame.said(turn.rest())).isEqualTo("it ran");
        }
        assertThat(session.workspaceFile("approved.txt")).isEqualTo("x\n");
    }

    @Test
    void rejectedCommandDoesNotRunAndModelReceivesReason() {
        var session = asking();
        List<Frame> frames;
        try (var turn =
                session.send(CodexTurnTest.run("touch rejected.txt") + "\nSAY:as you like")) {
            session.decide(
                            session.awaitApproval(),
                            Map.of("decision", "rejected", "message", "not on a Monday"))
                    .expect(200);
            frames = turn.rest();
        }

        assertThat(Frame.said(frames)).isEqualTo("as you like");
        assertThat(Frame.only("tool_result", frames).getFirst().json().path("is_error").asBoolean())
                .isTrue();
        assertThat(session.sandbox().resolve("workspace/rejected.txt")).doesNotExist();
        assertThat(ash.model().turns().getLast().everything()).contains("not on a Monday");
    }

    @Test
    void modifiedCommandIsReturnedToModel() {
        var session = asking();
        try (var turn = session.send(CodexTurnTest.run("touch one.txt") + "\nSAY:noted")) {
            session.decide(
                            session.awaitApproval(),
                            Map.of(
                                    "decision",
                                    "modified",
                                    "input",
                                    Map.of("command", "touch two.txt")))
                    .expect(200);
            assertThat(Frame.said(turn.rest())).isEqualTo("noted");
        }
        assertThat(session.sandbox().resolve("workspace/one.txt")).doesNotExist();
        assertThat(session.sandbox().resolve("workspace/two.txt")).doesNotExist();
        assertThat(ash.model().turns().getLast().everything()).contains("touch two.txt");
    }

    @Test
    void fileChangesAndMcpToolsRequireApproval() {
        var session = asking();
        var patch = "*** Begin Patch\n*** Add File: new.txt\n+hello\n*** End Patch";
        try (var turn =
                session.send(
                        CodexTurnTest.run("apply_patch <<'EOP'\n" + patch + "\nEOP\n")
                                + "\nTOOL:mcp__echo/echo {\"text\":\"yo\"}\nSAY:both")) {
            var change = session.awaitApproval();
            assertThat(change.path("tool").asString()).isEqualTo("Edit");
            assertThat(change.at("/input/file_path").asString()).isEqualTo("/workspace/new.txt");
            session.approve(change);
            turn.next("approval_resolved");

            var call = session.awaitApproval();
            assertThat(call.path("tool").asString()).isEqualTo("mcp__echo__echo");
            assertThat(call.at("/input/text").asString()).isEqualTo("yo");
            session.approve(call);

            assertThat(Frame.said(turn.rest())).isEqualTo("both");
        }
        assertThat(session.workspaceFile("new.txt")).isEqualTo("hello\n");
    }

    @Test
    void agentRulesAllowOnlyMatchingCommands() {
        var session = ash.session(Map.of("agent", "asker"));
        assertThat(session.created().path("permissionMode").asString())
                .isEqualTo("permissionsByAgent");

        session.ask(
                CodexTurnTest.run("git init -q made")
                        + "\n"
                        + CodexTurnTest.run("touch other.txt")
                        + "\n"
                        + CodexTurnTest.run("git status; touch third.txt")
                        + "\nSAY:done");

        assertThat(session.sandbox().resolve("workspace/made/.git")).isDirectory();
        assertThat(session.sandbox().resolve("workspace/other.txt")).doesNotExist();
        assertThat(session.sandbox().resolve("workspace/third.txt")).doesNotExist();
        assertThat(ash.model().turns().getLast().everything()).contains("Bash was denied: no rule");
    }

    @Test
    void disablesInteractiveShellsWhenCallsAreChecked() {
        var session =
                ash.session(
                        Map.of(
                                "agent",
                                "asker",
                                "permissionMode",
                                "bypassPermissions",
                                "disallowedTools",
                                List.of("mcp__nothing")));

        session.ask(
                Script.tool("exec_command", Map.of("cmd", "bash", "tty", true)) + "\nSAY:no shell");

        assertThat(ash.model().awaitTurn("SAY:no shell")).isNotNull();
        assertThat(ash.model().turns().getLast().toolResults().getLast().text())
                .contains("TTY execution is disabled");
    }

    @Test
    void sendsAnswerToQuestionOfModel() {
        var session = asking();
        try (var turn =
                session.send(
                        "TOOL:request_user_input {\"questions\":[{\"id\":\"q1\",\"header\":\"Color\","
                                + "\"question\":\"Which color?\",\"options\":[{\"label\":\"Red\",\"description\":\"r\"},"
                                + "{\"label\":\"Blue\",\"description\":\"b\"}]}]}\nSAY:thanks")) {
            var question = session.awaitApproval();
            assertThat(question.path("kind").asString()).isEqualTo("question");
            assertThat(question.at("/input/questions/0/question").asString())
                    .isEqualTo("Which color?");

            session.decide(
                            question,
                            Map.of(
                                    "decision",
                                    "modified",
                                    "input",
                                    Map.of("answers", Map.of("Which color?", "Blue"))))
                    .expect(200);

            assertThat(Frame.said(turn.rest())).isEqualTo("thanks");
        }
        assertThat(ash.model().turns().getLast().toolResults().getLast().text()).contains("Blue");
    }

    @Test
    void decisionAfterBridgeDeathAllowsSameCallOnce() {
        assertSameCallAllowedOnceAfter(session -> Processes.kill(session.bridgePid()));
    }

    @Test
    void decisionAfterEngineDeathAllowsSameCallOnce() {
        assertSameCallAllowedOnceAfter(CodexTurnTest::killCodex);
    }

    private static void assertSameCallAllowedOnceAfter(Consumer<TestSession> kill) {
        var session = asking();
        var call = CodexTurnTest.run("echo once >> once.txt");
        try (var turn = session.send(call + "\nSAY:never")) {
            var question = turn.next("approval_required").json();
            kill.accept(session);
            assertThat(Frame.names(turn.rest())).endsWith("error", "done");
            session.approve(question);
        }
        session.post("resume").expect(200);

        var frames = session.ask(call + "\nSAY:once more");

        assertThat(Frame.names(frames)).doesNotContain("approval_required");
        assertThat(Frame.said(frames)).isEqualTo("once more");
        assertThat(session.workspaceFile("once.txt")).isEqualTo("once\n");
        try (var again = session.send(call + "\nSAY:asked anew")) {
            var question = again.next("approval_required").json();
            session.decide(question, Map.of("decision", "rejected")).expect(200);
            again.rest();
        }
        assertThat(session.workspaceFile("once.txt")).isEqualTo("once\n");
    }

    @Test
    void interruptWithdrawsQuestion() {
        var session = asking();
        try (var turn = session.send(CodexTurnTest.run("touch never.txt") + "\nSAY:no")) {
            session.awaitApproval();

            session.post("interrupt").expect(200);

            turn.rest();
        }
        assertThat(session.pendingApprovals()).isEmpty();
        assertThat(Frame.said(session.ask("SAY:on"))).isEqualTo("on");
        assertThat(session.sandbox().resolve("workspace/never.txt")).doesNotExist();
    }
}
