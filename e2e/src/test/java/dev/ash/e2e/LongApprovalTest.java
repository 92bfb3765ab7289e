package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

/** Tests approvals of the real CLI that outlive the server, sandbox or bridge that asked. */
@NeedsClaude
class LongApprovalTest {
    @RegisterExtension static final AshExtension ash = AshExtension.claude().agent("hello");

    /** The CLI asks for the calls of one message sequentially; subagents ask in parallel. */
    @Test
    void nextServerAnswersTwoPendingCalls() throws InterruptedException {
        var session = askingSession();
        var prompt =
                Script.twoAgents(
                                Script.bash("echo plum >> plums.txt") + "\nSAY:plum done",
                                Script.bash("echo pear >> pears.txt") + "\nSAY:pear done")
                        + "\nSAY:both done";
        long last;
        long engine;
        try (var turn = session.send(prompt)) {
            turn.next("approval_required");
            last = turn.next("approval_required").id();
            engine = session.enginePid();

            ash.kill();
        }
        ash.startAgain();
        var same = ash.session(session);
        var waiting = same.awaitApprovals(2);

        try (var rest = same.follow(last)) {
            same.decide(findByInput("plum", waiting), Map.of("decision", "approved")).expect(200);
            same.decide(findByInput("pear", waiting), Map.of("decision", "rejected")).expect(200);
            var frames = rest.rest();
            assertThat(Frame.names(frames)).doesNotContain("approval_required", "error");
            assertThat(Frame.only("approval_resolved", frames)).hasSize(2);
            assertThat(Frame.said(frames)).contains("both done");
        }

        assertThat(same.enginePid()).isEqualTo(engine);
        assertThat(same.workspaceFile("plums.txt")).isEqualTo("plum\n");
        assertThat(same.workspaceFile("pears.txt")).isEmpty();
    }

    @Test
    void nextServerAnswersPendingCallsOfTwoSessions() throws InterruptedException {
        var first = askingSession();
        var second = askingSession();
        try (var one = first.send(Script.bash("echo one >> n.txt") + "\nSAY:1");
                var two = second.send(Script.bash("echo two >> n.txt") + "\nSAY:2")) {
            one.next("approval_required");
            two.next("approval_required");
            ash.kill();
        }
        ash.startAgain();
        first = ash.session(first);
        second = ash.session(second);
        try (var one = first.follow(0);
                var two = second.follow(0)) {
            second.approve(second.awaitApproval());
            first.approve(first.awaitApproval());
            one.rest();
            two.rest();
        }
        assertThat(first.workspaceFile("n.txt")).isEqualTo("one\n");
        assertThat(second.workspaceFile("n.txt")).isEqualTo("two\n");
    }

    @Test
    void answerAfterSandboxEndResumesTurn() {
        var settings = AshExtension.claude().with("ASH_IDLE_TIMEOUT_MS", "1000").agent("hello");
        try (var idleServer = settings.open()) {
            var session = askingSession(idleServer);
            session.ask("SAY:before the sleep");
            try (var turn = session.send(Script.bash("echo ran >> ran.txt") + "\nSAY:much later")) {
                var question = turn.next("approval_required").json();
                await().atMost(Duration.ofMinutes(1)).until(() -> session.processes().isEmpty());
                assertThat(session.status()).isEqualTo("active");
                assertThat(session.pendingApprovals()).hasSize(1);

                session.approve(question);

                var rest = turn.rest();
                assertThat(Frame.said(rest)).isEqualTo("much later");
                assertThat(Frame.names(rest)).doesNotContain("approval_required", "error");
            }
            assertThat(session.workspaceFile("ran.txt")).isEqualTo("ran\n");
            assertThat(idleServer.model().awaitTurn("SAY:much later").everything())
                    .contains("before the sleep");
            var log = session.messages();
            assertThat(log.toString()).doesNotContain("tool_deferred");
            assertThat(turns(log)).hasSize(2);
        }
    }

    @Test
    void nextServerAppliesAnswerAfterStop() {
        var session = askingSession();
        long last;
        JsonNode question;
        try (var turn = session.send(Script.bash("echo ran >> ran.txt") + "\nSAY:went on")) {
            var frame = turn.next("approval_required");
            last = frame.id();
            question = frame.json();
            ash.stop();
        }
        assertThat(session.workspaceFile("ran.txt")).isEmpty();
        ash.startAgain();
        var same = ash.session(session);
        assertThat(same.awaitApproval()).isEqualTo(question);
        try (var rest = same.follow(last)) {
            same.approve(question);
            var frames = rest.rest();
            assertThat(Frame.said(frames)).isEqualTo("went on");
            assertThat(Frame.names(frames)).doesNotContain("approval_required", "error");
        }
        assertThat(same.workspaceFile("ran.txt")).isEqualTo("ran\n");
        assertThat(turns(same.messages())).hasSize(1);
        assertThat(same.messages().toString()).doesNotContain("tool_deferred");
    }

    @Test
    void answerAfterBridgeDeathIsReportedAndUsedOnce() {
        var session = askingSession();
        var call = Script.bash("echo ran >> ran.txt");
        JsonNode question;
        try (var turn = session.send(call + "\nSAY:never")) {
            question = turn.next("approval_required").json();
            Processes.kill(session.bridgePid());
            assertThat(Frame.names(turn.rest())).endsWith("error", "done");
        }
        assertThat(session.pendingApprovals()).containsExactly(question);
        session.approve(question);
        session.post("resume").expect(200);

        var frames = session.ask(call + "\nSAY:once more");

        assertThat(ash.model().awaitTurn("SAY:once more").everything())
                .contains(
                        "echo ran >> ran.txt", "was approved: the same call will be allowed once");
        assertThat(Frame.names(frames)).doesNotContain("approval_required");
        assertThat(Frame.said(frames)).isEqualTo("once more");
        assertThat(session.workspaceFile("ran.txt")).isEqualTo("ran\n");
        assertAsksAgain(session, call);
        assertAsksAgain(session, Script.bash("echo other >> ran.txt"));
        assertThat(session.workspaceFile("ran.txt")).isEqualTo("ran\n");
    }

    private static void assertAsksAgain(TestSession session, String call) {
        try (var turn = session.send(call + "\nSAY:asked anew")) {
            var question = turn.next("approval_required").json();
            session.decide(question, Map.of("decision", "rejected")).expect(200);
            turn.rest();
        }
    }

    private static TestSession askingSession() {
        return askingSession(ash);
    }

    private static TestSession askingSession(AshExtension on) {
        return on.session(Map.of("agent", "hello", "permissionMode", "ask"));
    }

    private static JsonNode findByInput(String word, List<JsonNode> approvals) {
        return approvals.stream()
                .filter(approval -> approval.path("input").toString().contains(word))
                .findFirst()
                .orElseThrow();
    }

    private static List<String> turns(List<JsonNode> messages) {
        return messages.stream().map(row -> row.path("turnId").asString()).distinct().toList();
    }
}
