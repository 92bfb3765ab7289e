package dev.ash.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests the claude engine with the real CLI and a scripted API: the requests to the model, and the
 * events of the bridge. {@code ASH_TEST_CLAUDE} is the path of the program.
 */
class ClaudeRealTest {
    @TempDir private Path directory;
    private RealClaude claude;
    private String program;
    private ScriptedApi api;
    private TestBridge bridge;
    private RawClient client;

    @BeforeEach
    void prepare() throws IOException {
        claude = RealClaude.in(directory);
        program = claude.program();
        api = claude.api();
    }

    @AfterEach
    void close() throws IOException {
        if (claude != null) {
            claude.close();
        }
    }

    private void open() throws IOException {
        claude.open();
        bridge = claude.bridge();
        client = claude.client();
    }

    private void open(Path wrapper) throws IOException {
        claude.open(wrapper);
        client = claude.client();
    }

    private List<String> starts() throws IOException {
        return claude.starts();
    }

    /** Writes a file to the agent's directory and, like a session, to the workspace. */
    private void agentFile(String name, String content) throws IOException {
        for (var directoryName : List.of("agent", "workspace")) {
            var file = directory.resolve(directoryName).resolve(name);
            Files.createDirectories(file.getParent());
            Files.writeString(file, content);
        }
    }

    private static String answer(List<RawClient.Event> turn) {
        assertThat(turn).extracting(RawClient.Event::kind).doesNotContain("error");
        return turn.get(turn.size() - 2).message().text("result");
    }

    private boolean transcriptContains(String text) throws IOException {
        var projects = directory.resolve("home/.claude/projects");
        if (!Files.isDirectory(projects)) {
            return false;
        }
        try (var files = Files.walk(projects)) {
            for (var file : files.filter(path -> path.toString().endsWith(".jsonl")).toList()) {
                if (Files.readString(file).contains(text)) {
                    return true;
                }
            }
        }
        return false;
    }

    @Test
    void forwardsOutputUnchanged() throws IOException {
        var output = directory.resolve("said");
        var wrapper = directory.resolve("claude");
        Files.writeString(wrapper, "#!/bin/sh\n'" + program + "' \"$@\" | tee '" + output + "'\n");
        open(wrapper);

        var prompt = "grüße 漢字 🧪 \\\" \u2028 end";
        var turn = client.query(prompt, ",\"includePartialMessages\":true").untilDone();

        assertThat(answer(turn)).isEqualTo("You said: " + prompt);
        // tee writes to its stdout first, so the last line may be missing in the file.
        Awaitility.await()
                .atMost(Duration.ofMinutes(1))
                .until(
                        () ->
                                Files.readString(output)
                                        .matches("(?s).*\\{\"type\":\"result\"[^\n]*\n.*"));
        var written =
                Files.readAllLines(output).stream()
                        .filter(line -> !line.startsWith("{\"type\":\"control_"))
                        .filter(line -> !line.contains("\"isReplay\":true"))
                        .toList();
        assertThat(turn.subList(0, turn.size() - 1))
                .extracting(RawClient.Event::data)
                .containsExactlyElementsOf(written);
        assertThat(turn).anySatisfy(event -> assertThat(event.data()).contains("stream_event"));
    }

    @Test
    void sendsOnlyCompleteMessagesWithoutPartials() throws IOException {
        open();

        assertThat(client.query("hello").untilDone())
                .extracting(event -> event.message().text("type"))
                .containsExactly("system", "assistant", "result", "");
    }

    @Test
    void usesOneProcessForTenTurns() throws IOException {
        open();
        for (int i = 1; i <= 10; i++) {
            assertThat(answer(client.query("turn " + i).untilDone()))
                    .isEqualTo("You said: turn " + i);
        }
        assertThat(starts()).hasSize(1);
        assertThat(api.lastRequest().at("messages").line()).contains("You said: turn 1\"");
    }

    @Test
    void sendsInstructionsOnceAndListsSkills() throws IOException {
        agentFile("CLAUDE.md", "# PURPLE-INSTRUCTIONS\nAlways answer in rhyme.\n");
        agentFile(
                ".claude/skills/greet/SKILL.md",
                "---\nname: greet\ndescription: GREET-SKILL for people\n---\nSay hello.\n");
        open();

        answer(client.query("hello").untilDone());

        var request = api.lastRequest();
        assertThat(request.at("system").line()).containsOnlyOnce("PURPLE-INSTRUCTIONS");
        assertThat(request.at("messages").line()).doesNotContain("PURPLE-INSTRUCTIONS");
        assertThat(request.line()).contains("GREET-SKILL");
        assertThat(request.at("system").line().length()).isGreaterThan(2000);
    }

    @Test
    void instructionsCanReplaceSystemPrompt() throws IOException {
        agentFile("CLAUDE.md", "# PURPLE-INSTRUCTIONS\n");
        agentFile(".ash/agent.json", "{\"systemPrompt\":\"replace\"}");
        open();

        answer(client.query("hello").untilDone());

        assertThat(api.lastRequest().at("system").line())
                .containsOnlyOnce("PURPLE-INSTRUCTIONS")
                .hasSizeLessThan(2000);
    }

    @Test
    void appliesAllowAndDenyRulesOfAgent() throws IOException {
        agentFile(
                ".claude/settings.json",
                "{\"permissions\":{\"allow\":[\"Bash(touch:*)\"],\"deny\":[\"Bash(curl:*)\"]}}");
        open();

        answer(client.query("TOOL Bash {\"command\":\"touch allowed\"}").untilDone());
        var denied =
                client.query("TOOL Bash {\"command\":\"curl http://127.0.0.1:1\"}").untilDone();
        var unlisted = client.query("TOOL Bash {\"command\":\"mkdir unlisted\"}").untilDone();

        assertThat(bridge.workspace().resolve("allowed")).exists();
        assertThat(answer(denied)).contains("has been denied");
        assertThat(answer(unlisted))
                .contains("no rule of permissions.allow in .claude/settings.json");
        assertThat(bridge.workspace().resolve("unlisted")).doesNotExist();
    }

    @Test
    void bypassAllowsAllToolsExceptDeniedOnes() throws IOException {
        open();
        answer(client.query("TOOL Bash {\"command\":\"mkdir made\"}").untilDone());
        assertThat(bridge.workspace().resolve("made")).exists();

        agentFile(".claude/settings.json", "{\"permissions\":{\"deny\":[\"Bash(curl:*)\"]}}");
        client.send(
                "{\"cmd\":\"configure\",\"sessionId\":\""
                        + TestBridge.SESSION
                        + "\",\"permissionMode\":\"bypassPermissions\"}");
        assertThat(
                        answer(
                                client.query("TOOL Bash {\"command\":\"curl http://127.0.0.1:1\"}")
                                        .untilDone()))
                .contains("has been denied");
    }

    @Test
    void newBridgeWithSameHomeContinuesConversation() throws IOException {
        open();
        answer(client.query("remember the word PELICAN").untilDone());
        client.send("{\"cmd\":\"shutdown\"}");
        client.close();
        bridge.close();

        open();
        client.send("{\"cmd\":\"resume\",\"sessionId\":\"" + TestBridge.SESSION + "\"}");
        assertThat(client.untilDone()).hasSize(1);
        answer(client.query("which word?").untilDone());

        assertThat(api.lastRequest().at("messages").line())
                .contains("PELICAN")
                .contains("which word?");
        assertThat(starts()).hasSize(2);
    }

    @Test
    void interruptStopsStreamAndNextTurnRuns() throws IOException {
        open();
        client.query("STREAM", ",\"turnId\":\"t1\",\"includePartialMessages\":true");
        client.until(event -> event.data().contains("more "));

        client.send("{\"cmd\":\"interrupt\"}");

        var rest = client.untilDone();
        var result = rest.get(rest.size() - 2).message();
        assertThat(result.text("subtype")).isEqualTo("error_during_execution");
        assertThat(result.text("terminal_reason")).isEqualTo("aborted_streaming");
        assertThat(answer(client.query("hello").untilDone())).isEqualTo("You said: hello");
        assertThat(starts()).hasSize(1);
    }

    @Test
    void interruptRightAfterPromptStopsTurn() throws IOException {
        open();
        for (int i = 0; i < 3; i++) {
            client.query("STREAM", ",\"turnId\":\"t" + i + "\"").send("{\"cmd\":\"interrupt\"}");

            var turn = client.untilDone();

            assertThat(turn.get(turn.size() - 2).message().text("subtype"))
                    .isEqualTo("error_during_execution");
        }
        assertThat(starts()).hasSize(1);
    }

    @Test
    void switchesModelBetweenTurns() throws IOException {
        open();
        answer(client.query("one", ",\"model\":\"claude-sonnet-4-6\"").untilDone());
        assertThat(api.lastRequest().text("model")).isEqualTo("claude-sonnet-4-6");
        answer(client.query("two", ",\"model\":\"claude-haiku-4-5\"").untilDone());
        assertThat(api.lastRequest().text("model")).isEqualTo("claude-haiku-4-5");
        answer(client.query("three").untilDone());
        assertThat(api.lastRequest().text("model")).contains("opus");
        assertThat(starts()).hasSize(1);
    }

    @Test
    void killedProgramEndsTurnAndNextTurnContinuesConversation() throws IOException {
        open();
        answer(client.query("remember the word PELICAN").untilDone());
        Awaitility.await()
                .atMost(Duration.ofMinutes(1))
                .until(() -> transcriptContains("PELICAN")); // written after the response
        client.query("STREAM", ",\"turnId\":\"t2\",\"includePartialMessages\":true");
        client.until(event -> event.data().contains("more "));

        kill(starts().getLast());

        var rest = client.untilDone();
        assertThat(rest.get(rest.size() - 2).text("error"))
                .startsWith("Claude Code was killed by signal 9 before the turn completed.");
        assertThat(answer(client.query("still there?").untilDone()))
                .isEqualTo("You said: still there?");
        assertThat(api.lastRequest().at("messages").line()).contains("PELICAN");
    }

    @Test
    void restartsProgramKilledAtFirstMessage() throws IOException {
        open();
        client.query("STREAM", ",\"turnId\":\"t1\"");
        client.nextOf("message");
        kill(starts().getLast());
        client.untilDone();

        assertThat(answer(client.query("hello").untilDone())).isEqualTo("You said: hello");
    }

    @Test
    void finishedBackgroundTaskStartsTurn() throws IOException {
        open();
        client.query(
                        "TOOL Bash {\"command\":\"true\",\"run_in_background\":true}",
                        ",\"turnId\":\"t1\"")
                .untilDone();

        var started = client.until(event -> event.kind().equals("turn_started")).getLast();
        var rest = client.untilDone();

        assertThat(started.text("origin")).isEqualTo("engine");
        assertThat(rest)
                .allSatisfy(
                        event ->
                                assertThat(event.text("turnId"))
                                        .isEqualTo(started.text("turnId"))
                                        .isNotEqualTo("t1"));
        assertThat(answer(client.query("hello", ",\"turnId\":\"t2\"").untilDone()))
                .isEqualTo("You said: hello");
    }

    @Test
    void returnsStructuredOutput() throws IOException {
        open();
        answer(client.query("first").untilDone());

        var turn =
                client.query(
                                "TOOL StructuredOutput {\"n\":3}",
                                ",\"outputFormat\":{\"type\":\"json_schema\",\"schema\":{\"type\":"
                                        + "\"object\",\"properties\":{\"n\":{\"type\":\"integer\"}}}}")
                        .untilDone();

        assertThat(turn.get(turn.size() - 2).data()).contains("\"structured_output\":{\"n\":3}");
        assertThat(api.lastRequest().at("messages").line()).contains("You said: first");
        assertThat(starts()).hasSize(2);
    }

    private static void kill(String pid) {
        var process = ProcessHandle.of(Long.parseLong(pid)).orElseThrow();
        process.destroyForcibly();
        Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> !process.isAlive());
    }
}
