package dev.ash.cli.approval;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.cli.Ash;
import dev.ash.cli.Ash.Result;
import dev.ash.cli.command.Host;
import dev.ash.sdk.FakeServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests approvals during a turn. */
@Timeout(60)
class QuestionsTest {
    private static final String ID = "11112222-0000-4000-8000-000000000001";
    private static final String POST = "POST /api/approvals/" + ID;
    private static final String DONE = "event: done\ndata: {\"sessionId\":\"s1\"}\nid: 9";

    @TempDir Path root;
    private FakeServer server;
    private final CountDownLatch answered = new CountDownLatch(1);

    @BeforeEach
    void start() throws IOException {
        server = new FakeServer();
    }

    @AfterEach
    void stop() throws IOException {
        server.close();
    }

    /** Serves a turn that requests an approval, waits for the answer and reports it. */
    private void startTurnWithApproval(String kind, String tool, String input) {
        var pending = ApprovalCommandsTest.approval(ID, kind, tool, input, "pending");
        server.on("GET /api/approvals/" + ID, "{\"approval\":" + pending + "}");
        server.on(
                POST,
                (_, out) -> {
                    FakeServer.write(out, FakeServer.json(200, "{\"approval\":" + pending + "}"));
                    answered.countDown();
                });
        server.on(
                "POST /api/sessions/s1/messages",
                (_, out) -> {
                    FakeServer.stream(
                            out,
                            "event: text_delta\ndata: {\"delta\":\"Let me\"}",
                            "event: approval_required\ndata: " + pending + "\nid: 3");
                    await(answered);
                    FakeServer.write(
                            out,
                            "event: approval_resolved\ndata: %s\nid: 4\n\n%s\n\n"
                                    .formatted(
                                            pending.replace("\"pending\"", "\"approved\""), DONE));
                });
    }

    private Result send(String... typed) {
        return new Ash(root).server(server).typing(typed).run("session", "send", "s1", "hi");
    }

    private String answer() {
        return server.lines().stream()
                .filter(line -> line.startsWith(POST))
                .findFirst()
                .orElse("")
                .replace(POST + " ", "");
    }

    @Test
    void asksOnTerminalWhileStreamContinues() {
        startTurnWithApproval("tool", "Bash", "{\"command\":\"rm \\u001b[2J \\u202ex\"}");

        var result = send("what?", "Y");

        assertThat(result.exitCode()).isZero();
        assertThat(result.out()).isEqualTo("Let me\n");
        assertThat(result.err())
                .startsWith(
                        "The agent wants to use Bash:\n    command: rm �[2J �x\n[y]es / [n]o / [s]ession / [e]dit > ")
                .contains("y: allow once");
        assertThat(answer()).isEqualTo("{\"decision\":\"approved\"}");
    }

    @Test
    void rejectsWithReasonOnSameLine() {
        startTurnWithApproval("tool", "Bash", "{\"command\":\"x\"}");
        send("n not on a Friday");

        assertThat(answer())
                .isEqualTo("{\"decision\":\"rejected\",\"message\":\"not on a Friday\"}");
    }

    @Test
    void allowsToolForTheSession() {
        startTurnWithApproval("tool", "Bash", "{\"command\":\"x\"}");
        send("s");

        assertThat(answer()).isEqualTo("{\"decision\":\"approved\",\"scope\":\"session\"}");
    }

    @Test
    void showsFileChangeAsDiff() {
        startTurnWithApproval(
                "tool",
                "Edit",
                "{\"file_path\":\"/a\",\"old_string\":\"one\\ntwo\",\"new_string\":\"three\"}");

        assertThat(send("y").err())
                .contains("    file_path: /a\n    - one\n    - two\n    + three\n");
    }

    @Test
    void reportsOmittedLinesOfLongInput() {
        startTurnWithApproval("tool", "Write", "{\"content\":\"" + "line\\n".repeat(100) + "\"}");

        assertThat(send("y").err()).contains("… and 61 more lines");
    }

    @Test
    void opensInputInEditor() throws IOException {
        startTurnWithApproval("tool", "Bash", "{\"command\":\"rm x\",\"timeout\":5}");
        var editor = root.resolve("editor");
        Files.writeString(editor, "#!/bin/sh\nsed -i 's/rm x/ls x/' \"$1\"\n");
        Files.setPosixFilePermissions(editor, PosixFilePermissions.fromString("rwx------"));

        new Ash(root)
                .server(server)
                .with("EDITOR", editor.toString())
                .typing("e")
                .run("session", "send", "s1", "hi");

        assertThat(answer())
                .startsWith("{\"decision\":\"modified\",\"input\":{")
                .contains("\"command\": \"ls x\"", "\"timeout\": 5");
    }

    @Test
    void answersQuestionsByNumberAndText() {
        startTurnWithApproval(
                "question",
                "AskUserQuestion",
                "{\"questions\":[{\"question\":\"Which?\",\"options\":[{\"label\":\"Red\"},{\"label\":\"Blue\"}]},{\"question\":\"How?\",\"multiSelect\":true,\"options\":[{\"label\":\"Fast\"},{\"label\":\"Well\"}]},{\"question\":\"Why?\"}]}");

        var result = send("2", "1,2", "because");

        assertThat(result.err()).contains("Which?\n  1  Red\n  2  Blue\n");
        assertThat(answer())
                .isEqualTo(
                        "{\"decision\":\"modified\",\"input\":{\"answers\":{\"Which?\":\"Blue\",\"How?\":\"Fast, Well\",\"Why?\":\"because\"}}}");
    }

    @Test
    void asksYesOrNoForPlan() {
        startTurnWithApproval("plan", "ExitPlanMode", "{\"plan\":\"# First\\nthen\"}");

        var result = send("s", "no");

        assertThat(result.err())
                .contains(
                        "continue with this plan:\n    plan: # First\n        then\n[y]es / [n]o > ");
        assertThat(answer()).isEqualTo("{\"decision\":\"rejected\"}");
    }

    @Test
    void answerFromElsewhereEndsThePrompt() {
        var pending = ApprovalCommandsTest.approval(ID, "tool", "Bash", "{}", "pending");
        var asked = new CountDownLatch(1);
        server.on(
                "GET /api/approvals/" + ID,
                (_, out) -> {
                    FakeServer.write(out, FakeServer.json(200, "{\"approval\":" + pending + "}"));
                    asked.countDown();
                });
        server.on(
                "POST /api/sessions/s1/messages",
                (_, out) -> {
                    FakeServer.stream(
                            out, "event: approval_required\ndata: " + pending + "\nid: 3");
                    await(asked);
                    var resolved =
                            pending.replace(
                                    "\"pending\"",
                                    "\"rejected\",\"decidedBy\":\"console\",\"message\":\"no\"");
                    FakeServer.write(
                            out,
                            "event: approval_resolved\ndata: %s\nid: 4\n\n%s\n\n"
                                    .formatted(resolved, DONE));
                });

        var result =
                new Ash(root)
                        .server(server)
                        .terminals(new Host.Terminals(true, false, false))
                        .run("session", "send", "s1", "hi");

        assertThat(result.exitCode()).isZero();
        assertThat(result.err()).contains("\n→ Bash: rejected by console: no\n");
        assertThat(server.lines()).noneMatch(line -> line.startsWith(POST));
    }

    @Test
    void doesNotAskAnsweredApprovals() {
        var approval = ApprovalCommandsTest.approval(ID, "tool", "Bash", "{}", "approved");
        server.on("GET /api/approvals/" + ID, "{\"approval\":" + approval + "}");
        server.streams(
                "GET /api/sessions/s1/stream",
                "event: approval_required\ndata: "
                        + approval.replace("approved", "pending")
                        + "\nid: 3");

        var result = new Ash(root).server(server).typing("y").run("session", "watch", "s1");

        assertThat(result.err()).doesNotContain("wants to use");
        assertThat(server.lines()).noneMatch(line -> line.startsWith(POST));
    }

    @Test
    void printsAnswerCommandWithoutTerminal() {
        startTurnWithApproval("tool", "Bash", "{\"command\":\"ls\"}");
        answered.countDown();

        var result = new Ash(root).server(server).run("session", "send", "s1", "hi");

        assertThat(result.err())
                .isEqualTo(
                        "? Bash  ls\n  Waiting for an answer: ash approvals approve 11112222, or ash approvals reject 11112222\n→ Bash: approved\n");
        assertThat(new Ash(root).server(server).run("session", "send", "s1", "hi", "--json").err())
                .isEmpty();
    }

    @Test
    void reportsReconnectAndResumes() throws IOException {
        server.streams(
                "POST /api/sessions/s1/messages",
                "event: message\ndata: {\"type\":\"assistant\",\"message\":{\"content\":\"one\"}}\nid: 1");
        server.streams(
                "GET /api/sessions/s1/stream",
                "event: message\ndata: {\"type\":\"assistant\",\"message\":{\"content\":\"two\"}}\nid: 2",
                DONE);

        var result =
                new Ash(root)
                        .server(server)
                        .with("ASH_RECONNECT_MS", "20000")
                        .run("session", "send", "s1", "hi");

        assertThat(result)
                .isEqualTo(
                        new Result(
                                0,
                                "one\ntwo\n",
                                "ash: connection lost, waiting for the server…\nash: reconnected\n"));
        assertThat(server.lines().getLast()).isEqualTo("GET /api/sessions/s1/stream?after=1");
        assertThat(
                        new Ash(root)
                                .server(server)
                                .with("ASH_RECONNECT_MS", "soon")
                                .run("session", "send", "s1", "hi")
                                .exitCode())
                .isEqualTo(2);
    }

    private static void await(CountDownLatch latch) throws IOException {
        try {
            latch.await(20, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }
}
