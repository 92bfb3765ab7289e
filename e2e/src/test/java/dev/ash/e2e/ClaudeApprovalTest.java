package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.e2e.model.ModelRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

/**
 * Tests approvals with the real Claude Code CLI: every kind of question and every kind of answer.
 */
@NeedsClaude
class ClaudeApprovalTest {
    @RegisterExtension static final AshExtension ash = AshExtension.claude().agent("hello");

    @Test
    void approvedCallRunsOnce() {
        var session = asking();
        try (var turn = session.send(Script.bash("echo ran >> ran.txt") + "\nSAY:approved")) {
            var question = turn.next("approval_required").json();
            assertThat(question.path("kind").asString()).isEqualTo("tool");
            assertThat(question.path("tool").asString()).isEqualTo("Bash");
            assertThat(question.at("/input/command").asString()).isEqualTo("echo ran >> ran.txt");
            assertThat(session.pendingApprovals()).containsExactly(question);
            assertThat(session.workspaceFile("ran.txt")).isEmpty();

            session.approve(question);

            var rest = turn.rest();
            assertThat(Frame.names(rest)).contains("approval_resolved", "tool_result");
            assertThat(Frame.said(rest)).isEqualTo("approved");
        }
        assertThat(session.workspaceFile("ran.txt")).isEqualTo("ran\n");
        assertThat(session.pendingApprovals()).isEmpty();
    }

    @Test
    void rejectionSendsReasonToModel() {
        var session = asking();

        var question =
                askAndAnswer(
                        session,
                        Script.bash("touch rejected") + "\nSAY:went without",
                        Map.of("decision", "rejected", "message", "not on a Sunday"));

        assertThat(question.path("status").asString()).isEqualTo("rejected");
        var result = afterTool("went without").toolResults().getLast();
        assertThat(result.isError()).isTrue();
        assertThat(result.text()).contains("not on a Sunday");
        assertThat(session.exec("ls rejected").path("exitCode").asInt()).isNotZero();
    }

    @Test
    void modifiedCallRunsWithNewInput() {
        var session = asking();

        askAndAnswer(
                session,
                Script.bash("echo model >> who.txt") + "\nSAY:as changed",
                Map.of(
                        "decision",
                        "modified",
                        "input",
                        Map.of("command", "echo person >> who.txt; echo changed")));

        assertThat(session.workspaceFile("who.txt")).isEqualTo("person\n");
        assertThat(afterTool("as changed").toolResults().getLast().text()).contains("changed");
    }

    @Test
    void approvalForSessionCoversLaterCalls() {
        var session = asking();
        askAndAnswer(
                session,
                Script.bash("echo 1 >> n.txt"),
                Map.of("decision", "approved", "scope", "session"));

        var frames = session.ask(Script.bash("echo 2 >> n.txt") + "\nSAY:unasked");

        assertThat(Frame.names(frames)).doesNotContain("approval_required");
        assertThat(session.workspaceFile("n.txt")).isEqualTo("1\n2\n");
        try (var turn =
                session.send(Script.tool("Write", Map.of("file_path", "w", "content", "w")))) {
            var other = turn.next("approval_required").json();
            assertThat(other.path("tool").asString()).isEqualTo("Write");
            session.approve(other);
            turn.rest();
        }
        assertThat(session.workspaceFile("w")).isEqualTo("w");
    }

    @Test
    void sendsAnswerToQuestionOfModel() {
        var session = asking();
        var option = Map.of("label", "Plums", "description", "blue");
        var other = Map.of("label", "Pears", "description", "green");
        var input =
                Map.of(
                        "questions",
                        List.of(
                                Map.of(
                                        "question",
                                        "Which fruit?",
                                        "header",
                                        "Fruit",
                                        "multiSelect",
                                        false,
                                        "options",
                                        List.of(option, other))));

        var question =
                askAndAnswer(
                        session,
                        Script.tool("AskUserQuestion", input) + "\nSAY:fruit chosen",
                        Map.of(
                                "decision",
                                "modified",
                                "input",
                                Map.of("answers", Map.of("Which fruit?", "Pears"))));

        assertThat(question.path("kind").asString()).isEqualTo("question");
        assertThat(afterTool("fruit chosen").toolResults().getLast().text())
                .contains("\"Which fruit?\"=\"Pears\"");
    }

    @Test
    void sendsApprovalOfPlan() {
        var session = asking();

        try (var turn =
                session.send(
                        "TOOL:EnterPlanMode {}\n"
                                + Script.tool("ExitPlanMode", Map.of("plan", "Eat the plums."))
                                + "\nSAY:plan approved")) {
            var question = turn.next("approval_required").json();
            while (!question.path("tool").asString().equals("ExitPlanMode")) {
                session.approve(question);
                question = turn.next("approval_required").json();
            }
            assertThat(question.path("kind").asString()).isEqualTo("plan");
            session.approve(question);
            assertThat(Frame.said(turn.rest())).isEqualTo("plan approved");
        }

        assertThat(afterTool("plan approved").toolResults().getLast().isError()).isFalse();
    }

    @Test
    void acceptsOnlyFirstOfConcurrentAnswers() throws Exception {
        var session = asking();
        try (var turn = session.send(Script.bash("echo ran >> many.txt") + "\nSAY:one of many")) {
            var question = turn.next("approval_required").json();

            var answers = answerConcurrently(session, question, 64);

            var winners = answers.stream().filter(answer -> answer.status() == 200).toList();
            assertThat(winners).hasSize(1);
            var status = winners.getFirst().at("/approval/status").asString();
            assertThat(answers.stream().filter(answer -> answer.status() == 409))
                    .hasSize(63)
                    .allSatisfy(
                            answer -> answer.refused(409, "APPROVAL_RESOLVED", status, "api at"));
            assertThat(Frame.names(turn.rest())).containsOnlyOnce("approval_resolved");
            assertThat(session.workspaceFile("many.txt"))
                    .isEqualTo(status.equals("approved") ? "ran\n" : "");
        }
    }

    private static List<ApiResponse> answerConcurrently(
            TestSession session, JsonNode question, int count) throws Exception {
        var go = new CountDownLatch(1);
        var answers = new ArrayList<Future<ApiResponse>>();
        try (var all = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < count; i++) {
                var decision = i % 2 == 0 ? "approved" : "rejected";
                answers.add(
                        all.submit(
                                () -> {
                                    go.await();
                                    return session.decide(question, Map.of("decision", decision));
                                }));
            }
            go.countDown();
        }
        var done = new ArrayList<ApiResponse>();
        for (var answer : answers) {
            done.add(answer.get());
        }
        return done;
    }

    @Test
    void interruptWithdrawsQuestion() {
        var session = asking();
        try (var turn = session.send(Script.bash("echo ran > interrupted"))) {
            var question = turn.next("approval_required").json();

            session.post("interrupt").expect(200);

            var resolved = Frame.only("approval_resolved", turn.rest());
            assertThat(resolved).hasSize(1);
            assertThat(resolved.getFirst().json().path("status").asString()).isEqualTo("cancelled");
            session.decide(question, Map.of("decision", "approved"))
                    .refused(409, "APPROVAL_RESOLVED", "cancelled");
        }
        assertThat(Frame.said(session.ask("SAY:next"))).isEqualTo("next");
        assertThat(session.workspaceFile("interrupted")).isEmpty();
    }

    private static TestSession asking() {
        return ash.session(Map.of("agent", "hello", "permissionMode", "ask"));
    }

    /** Answers the only question of a turn; returns its resolution. */
    private static JsonNode askAndAnswer(
            TestSession session, String prompt, Map<String, ?> answer) {
        try (var turn = session.send(prompt)) {
            session.decide(turn.next("approval_required").json(), answer).expect(200);
            var resolved = turn.next("approval_resolved").json();
            assertThat(Frame.names(turn.rest())).doesNotContain("approval_required", "error");
            return resolved;
        }
    }

    private static ModelRequest afterTool(String word) {
        return ash.model()
                .await(
                        r ->
                                r.isTurn()
                                        && r.everything().contains(word)
                                        && !r.toolResults().isEmpty());
    }
}
