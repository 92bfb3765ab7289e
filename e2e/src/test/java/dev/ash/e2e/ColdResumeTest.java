package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Checks that a session of the real CLI keeps its settings, files and conversation after any
 * interruption.
 */
@NeedsClaude
class ColdResumeTest {
    @RegisterExtension
    static final AshExtension ash =
            AshExtension.claude()
                    .agent(
                            "hello",
                            Map.of(
                                    "CLAUDE.md",
                                    "You are hello.\n",
                                    "notes_mcp.py",
                                    Resources.text("agents/notes_mcp.py")));

    private static int checks;

    @Test
    void stateSurvivesStop() {
        var session = startedSession();
        session.post("stop").expect(200);
        assertThat(session.processes()).isEmpty();
        assertThat(session.status()).isEqualTo("stopped");

        session.post("resume").expect(200);

        assertThat(session.lifecycle().getLast()).contains("\"cold\"");
        assertStateIsComplete(session);
    }

    @Test
    void nextPromptWakesSessionAfterServerRestart() {
        var session = startedSession();
        ash.stop();
        ash.startAgain();
        var same = ash.session(session);
        assertThat(same.status()).isEqualTo("paused");
        assertThat(same.processes()).isEmpty();

        assertStateIsComplete(same);
    }

    @Test
    void nextPromptWakesSessionAfterServerAndBridgeCrash() throws InterruptedException {
        var session = startedSession();
        awaitTranscript(session); // the CLI writes it shortly after its response
        ash.kill();
        Processes.kill(session.bridgePid());
        ash.startAgain();
        var same = ash.session(session);
        assertThat(same.status()).isEqualTo("paused");

        assertStateIsComplete(same);
    }

    @Test
    void sameProcessContinuesAfterPause() {
        var session = startedSession();
        var engine = session.enginePid();
        session.post("pause").expect(200);
        assertThat(session.status()).isEqualTo("paused");

        session.post("resume").expect(200);

        assertThat(session.lifecycle().getLast()).contains("\"warm\"");
        assertStateIsComplete(session);
        assertThat(session.enginePid()).isEqualTo(engine);
    }

    private static TestSession startedSession() {
        var notes = Map.of("command", "python3", "args", List.of("notes_mcp.py"));
        var session =
                ash.session(
                        Map.of(
                                "agent", "hello",
                                "model", "claude-sonnet-4-6",
                                "systemPrompt", "Today you are Bullace-5.",
                                "extraEnv", Map.of("DAMSON", "d-42"),
                                "mcpServers", Map.of("notes", notes),
                                "permissionMode", "ask",
                                "allowedTools", List.of("Bash", "mcp__notes__remember")));
        session.ask(Script.bash("echo kept > note.txt; echo h > ~/at-home") + "\nSAY:number 4711");
        return session;
    }

    private static void awaitTranscript(TestSession session) {
        Awaitility.await()
                .atMost(Duration.ofMinutes(1))
                .ignoreExceptions() // directories and files appear concurrently
                .until(() -> isInTranscript(session, "number 4711"));
    }

    private static boolean isInTranscript(TestSession session, String text) throws IOException {
        try (var files = Files.walk(session.sandbox().resolve("home/.claude/projects"))) {
            for (var file : files.filter(path -> path.toString().endsWith(".jsonl")).toList()) {
                // Once in the prompt, once in the response.
                if (Files.readString(file).split(text, -1).length > 2) {
                    return true;
                }
            }
            return false;
        }
    }

    private static void assertStateIsComplete(TestSession session) {
        var word = "check " + ++checks;
        var prompt =
                Script.bash("env | grep DAMSON; cat note.txt ~/at-home")
                        + "\nTOOL:mcp__notes__remember {\"note\":\"stressed\"}\n"
                        + Script.tool("Write", Map.of("file_path", "w.txt", "content", "w"))
                        + "\nSAY:"
                        + word;

        try (var turn = session.send(prompt)) {
            // Only Write requires approval: the permission mode is preserved.
            var question = turn.next("approval_required").json();
            assertThat(question.path("tool").asString()).isEqualTo("Write");
            session.approve(question);
            assertThat(Frame.said(turn.rest())).isEqualTo(word);
        }

        var request =
                ash.model()
                        .await(
                                r ->
                                        r.isTurn()
                                                && r.everything().contains(word)
                                                && r.toolResults().size() == 4);
        assertThat(request.everything()).contains("number 4711");
        assertThat(request.system()).contains("Bullace-5");
        assertThat(request.body().path("model").asString()).isEqualTo("claude-sonnet-4-6");
        var results = request.toolResults();
        assertThat(results.get(1).text()).contains("DAMSON=d-42", "kept", "h");
        assertThat(results.get(2).text()).contains("remembered desserts");
        assertThat(session.workspaceFile("w.txt")).isEqualTo("w");
        assertThat(session.exec("echo $DAMSON; cat note.txt ~/at-home").path("stdout").asString())
                .isEqualTo("d-42\nkept\nh\n");
    }
}
