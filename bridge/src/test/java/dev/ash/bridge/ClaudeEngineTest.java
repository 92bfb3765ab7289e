package dev.ash.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.Limits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the claude engine with a program that misbehaves on request. */
class ClaudeEngineTest {
    @TempDir private Path directory;
    private FakeClaude claude;
    private TestBridge bridge;
    private RawClient client;

    @BeforeEach
    void open() throws IOException {
        claude = FakeClaude.in(directory);
        open(Map.of());
    }

    private void open(Map<String, String> more) throws IOException {
        var environment = new HashMap<>(claude.environment());
        environment.putAll(more);
        bridge = TestBridge.open(directory, environment);
        client = bridge.client();
    }

    @AfterEach
    void close() throws IOException {
        client.close();
        bridge.close();
    }

    @Test
    void forwardsLinesUnchangedAndKeepsOneProcess() throws IOException {
        for (int i = 1; i <= 10; i++) {
            var turn = client.query("hello " + i, ",\"turnId\":\"t" + i + "\"").untilDone();

            assertThat(turn)
                    .extracting(RawClient.Event::data)
                    .containsExactly(
                            "{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"fake-session\",\"tools\":[]}",
                            "{\"type\":\"assistant\",\"message\":{\"role\":\"assistant\",\"content\":"
                                    + "[{\"type\":\"text\",\"text\":\"you said hello "
                                    + i
                                    + "\"}]}}",
                            "{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"session_id\":\"fake-session\"}",
                            "");
        }
        assertThat(claude.starts()).hasSize(1);
    }

    @Test
    void startsWithSessionIdAndResumesWithEngineId() throws IOException {
        client.query("hello").untilDone();
        bridge.close();
        open(Map.of());
        client.query("again").untilDone();

        assertThat(claude.starts().get(0))
                .containsSequence("--session-id", TestBridge.SESSION)
                .doesNotContain("--resume");
        assertThat(claude.starts().get(1)).containsSequence("--resume", "fake-session");
        assertThat(Files.readString(bridge.home().resolve(".ash/conversation.json")))
                .isEqualTo(
                        "{\"sessionId\":\""
                                + TestBridge.SESSION
                                + "\",\"engine\":\"claude\",\"engineSessionId\":\"fake-session\","
                                + "\"answered\":true}");
    }

    @Test
    void endsTurnImmediatelyWhenProgramExits() throws IOException {
        var turn = client.query("die", ",\"turnId\":\"t1\"").untilDone();

        assertThat(turn)
                .extracting(RawClient.Event::kind)
                .containsExactly("message", "message", "error", "done");
        assertThat(turn.get(2).text("error"))
                .startsWith("Claude Code exited with code 7 before the turn completed.")
                .endsWith("Stderr: a last word");
        assertThat(turn.get(2).json().isTrue("engineGone")).isTrue();
        assertThat(turn).allSatisfy(event -> assertThat(event.text("turnId")).isEqualTo("t1"));

        assertThat(client.query("hello").untilDone().get(1).data()).contains("you said hello");
    }

    @Test
    void endsTurnWhenProgramExitsButChildHoldsPipes() throws IOException {
        var turn = client.query("orphan").untilDone();

        assertThat(turn.get(1).text("error")).startsWith("Claude Code exited with code 9");
    }

    @Test
    void restartsProgramThatExitedBetweenTurns() throws IOException {
        client.query("hello").untilDone();
        ProcessHandle.of(claude.pid()).orElseThrow().destroyForcibly();
        Awaitility.await()
                .atMost(Duration.ofMinutes(1))
                .until(() -> ProcessHandle.of(claude.pid()).isEmpty());

        assertThat(client.query("again").untilDone().get(1).data()).contains("you said again");
        assertThat(claude.starts()).hasSize(2);
    }

    @Test
    void reportsWhyProgramDoesNotStart() throws IOException {
        bridge.close();
        open(Map.of("FAKE_START", "refuse"));

        for (int i = 0; i < 2; i++) {
            var turn = client.query("hello").untilDone();

            assertThat(turn).extracting(RawClient.Event::kind).containsExactly("error", "done");
            assertThat(turn.getFirst().text("error"))
                    .isEqualTo(
                            "Claude Code did not start: it exited with code 1."
                                    + " Stderr: Error: not today");
        }
    }

    @Test
    void explainsHowToInstallMissingProgram() throws IOException {
        bridge.close();
        open(Map.of("CLAUDE_CODE_EXECUTABLE", "/no/such/claude"));

        var turn = client.query("hello").untilDone();

        assertThat(turn.getFirst().text("error"))
                .startsWith("CLAUDE_CODE_EXECUTABLE is set to /no/such/claude")
                .contains("ash engines install claude");
        assertThat(turn).hasSize(2);
    }

    @Test
    void resumeOpensEngineAndSendsDone() throws IOException {
        client.send("{\"cmd\":\"resume\",\"sessionId\":\"" + TestBridge.SESSION + "\"}");

        assertThat(client.next().kind()).isEqualTo("done");
        assertThat(claude.starts()).hasSize(1);
        assertThat(client.query("hello").untilDone()).hasSize(4);
        assertThat(claude.starts()).hasSize(1);
    }

    @Test
    void reportsLostConversationOnceAndStartsNewOne() throws IOException {
        client.query("hello").untilDone();
        bridge.close();
        open(Map.of("FAKE_START", "forgotten"));

        client.send("{\"cmd\":\"resume\",\"sessionId\":\"" + TestBridge.SESSION + "\"}");
        var lost = client.untilDone();

        assertThat(lost)
                .extracting(RawClient.Event::kind)
                .containsExactly("message", "error", "done");
        assertThat(lost.get(1).text("error"))
                .startsWith("The earlier conversation is no longer in this sandbox.");
        assertThat(client.query("hello").untilDone().get(1).data()).contains("you said hello");
        assertThat(claude.starts().getLast()).contains("--session-id");
    }

    @Test
    void terminatesProgramAfterTooLongLine() throws IOException {
        var turn = client.query("huge " + Limits.MAX_LINE_BYTES).untilDone();

        assertThat(turn.get(1).text("error"))
                .startsWith(
                        "Claude Code was terminated, because its output is invalid: line is longer than");
        assertThat(turn.get(2).kind()).isEqualTo("done");
        assertThat(client.query("hello").untilDone()).hasSize(4);
    }

    @Test
    void terminatesProgramAfterInvalidUtf8() throws IOException {
        assertThat(client.query("latin1").untilDone().get(1).text("error"))
                .startsWith(
                        "Claude Code was terminated, because its output is invalid: line is not valid UTF-8");
    }

    @Test
    void ignoresLinesThatAreNotMessages() throws IOException {
        assertThat(client.query("noise").untilDone())
                .extracting(event -> event.message().text("type"))
                .containsExactly("system", "assistant", "result", "");
    }

    @Test
    void answersQuestionsAndHidesControlProtocol() throws IOException {
        var turn = client.query("ask").untilDone();

        assertThat(turn)
                .extracting(event -> event.message().text("type"))
                .containsExactly("system", "assistant", "assistant", "result", "");
        assertThat(turn.get(1).data())
                .contains("\\\"behavior\\\": \\\"deny\\\"")
                .contains(".claude/settings.json");
        assertThat(turn.get(2).data()).contains("\\\"subtype\\\": \\\"error\\\"");
    }

    @Test
    void forwardsPartialMessagesOnlyIfRequested() throws IOException {
        assertThat(client.query("partials").untilDone())
                .extracting(event -> event.message().text("type"))
                .containsExactly("system", "system", "assistant", "result", "");
        assertThat(client.query("partials", ",\"includePartialMessages\":true").untilDone())
                .extracting(event -> event.message().text("type"))
                .containsExactly(
                        "system", "system", "stream_event", "system", "assistant", "result", "");
        assertThat(claude.starts()).hasSize(1);
    }

    @Test
    void reportsTurnsStartedByEngine() throws IOException {
        client.query("background", ",\"turnId\":\"t1\"").untilDone();

        var between = client.next();
        assertThat(between.data()).contains("task_notification");
        assertThat(between.json().raw("turnId")).isEmpty();
        var engineTurn = client.untilDone();
        assertThat(engineTurn)
                .extracting(RawClient.Event::kind)
                .containsExactly("turn_started", "message", "message", "message", "done");
        assertThat(engineTurn.getFirst().text("origin")).isEqualTo("engine");
        var turnId = engineTurn.getFirst().text("turnId");
        assertThat(turnId).isNotEmpty().isNotEqualTo("t1");
        assertThat(engineTurn)
                .allSatisfy(event -> assertThat(event.text("turnId")).isEqualTo(turnId));
        assertThat(client.next().data()).contains("task_updated");
        assertThat(client.query("hello", ",\"turnId\":\"t2\"").untilDone()).hasSize(4);
    }

    @Test
    void concurrentEngineTurnDoesNotEndPromptedTurn() throws IOException {
        for (var word : List.of("crossed", "injected")) {
            var turn = client.query(word, ",\"turnId\":\"" + word + "\"").untilDone();

            assertThat(turn.get(turn.size() - 3).data()).contains("the answer");
            assertThat(turn).allSatisfy(event -> assertThat(event.text("turnId")).isEqualTo(word));
        }
        assertThat(client.query("hello").untilDone()).hasSize(4);
    }

    @Test
    void switchesModelWithoutNewProcess() throws IOException {
        client.query("hello").untilDone();
        client.query("hello", ",\"model\":\"sonnet\"").untilDone();
        client.query("hello").untilDone();

        assertThat(claude.starts()).hasSize(1);
        assertThat(claude.read())
                .extracting(entry -> entry.at("request"))
                .filteredOn(request -> request.text("subtype").equals("set_model"))
                .extracting(request -> request.text("model"))
                .containsExactly("sonnet", "");
    }

    @Test
    void startsNewProcessForOtherLaunchParameters() throws IOException {
        client.query("hello").untilDone();
        client.query("hello", ",\"maxTurns\":3").untilDone();
        client.query("hello", ",\"maxTurns\":3").untilDone();
        client.query("hello", ",\"maxBudgetUsd\":0.5").untilDone();
        client.query("hello", ",\"maxBudgetUsd\":0.5").untilDone();

        var starts = claude.starts();
        assertThat(starts).hasSize(4);
        assertThat(starts.get(1)).containsSequence("--max-turns", "3").contains("--resume");
        assertThat(starts.get(2)).containsSequence("--max-budget-usd", "0.5");
        assertThat(starts.get(3)).containsSequence("--max-budget-usd", "0.5");
    }

    @Test
    void appliesNewConfigurationFromNextPrompt() throws IOException {
        client.query("hello").untilDone();
        client.send(
                "{\"cmd\":\"configure\",\"sessionId\":\""
                        + TestBridge.SESSION
                        + "\",\"model\":\"opus\",\"systemPrompt\":\"Be brief.\","
                        + "\"systemPromptMode\":\"replace\",\"subagents\":{\"r\":{\"prompt\":\"p\"}},"
                        + "\"allowedTools\":[\"Read\",\"Bash(git *)\"],\"disallowedTools\":[\"Write\"],"
                        + "\"betas\":[\"b1\"],\"initialAgent\":\"r\","
                        + "\"mcpServers\":{\"s\":{\"command\":\"x\"}},\"env\":{\"COLOR\":\"blue\"}}");
        client.query("hello").untilDone();

        assertThat(claude.starts().getLast())
                .contains("--allowedTools=Read,Bash(git *)", "--disallowedTools=Write")
                .contains("--betas=b1")
                .containsSequence("--agent", "r")
                .containsSequence("--model", "opus")
                .containsSequence("--mcp-config", bridge.home() + "/.ash/mcp.json")
                .containsSequence("--resume", "fake-session");
        assertThat(Files.readString(bridge.home().resolve(".ash/mcp.json")))
                .isEqualTo("{\"mcpServers\":{\"s\":{\"command\":\"x\"}}}");
        var initialize = claude.read().get(2).at("request");
        assertThat(initialize.line())
                .contains("\"systemPrompt\": [\"Be brief.\"]")
                .contains("\"agents\": {\"r\": {\"prompt\": \"p\"}}");
    }

    @Test
    void promptsWaitForPreviousResult() throws IOException {
        client.query("wait", ",\"turnId\":\"t1\"").query("hello", ",\"turnId\":\"t2\"");
        client.nextOf("message");
        assertThat(claude.read()).noneMatch(entry -> entry.line().contains("hello"));

        client.send("{\"cmd\":\"interrupt\"}");

        assertThat(client.untilDone().getLast().text("turnId")).isEqualTo("t1");
        assertThat(client.untilDone().getLast().text("turnId")).isEqualTo("t2");
    }

    @Test
    void forwardsContentBlocksUnchanged() throws IOException {
        client.send(
                "{\"cmd\":\"query\",\"sessionId\":\"s\",\"prompt\":[{\"type\":\"text\","
                        + "\"text\":\"blocks\"},{\"type\":\"image\",\"source\":{\"a\":1.0}}]}");
        client.untilDone();

        assertThat(claude.read().getLast().at("message").line())
                .contains(
                        "\"content\": [{\"type\": \"text\", \"text\": \"blocks\"},"
                                + " {\"type\": \"image\", \"source\": {\"a\": 1.0}}]");
    }

    @Test
    void terminatesProgramOnClose() throws IOException {
        client.query("wait");
        client.nextOf("message");
        var pid = claude.pid();

        bridge.close();

        Awaitility.await()
                .atMost(Duration.ofMinutes(1))
                .until(() -> ProcessHandle.of(pid).isEmpty());
    }
}
