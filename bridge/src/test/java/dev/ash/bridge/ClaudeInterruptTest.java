package dev.ash.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests interrupts of the claude engine. */
class ClaudeInterruptTest {
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
    void interruptEndsTurnWithResult() throws IOException {
        client.query("wait", ",\"turnId\":\"t1\"");
        client.nextOf("message");

        client.send("{\"cmd\":\"interrupt\"}").send("{\"cmd\":\"interrupt\"}");

        var rest = client.untilDone();
        assertThat(rest).hasSize(2);
        assertThat(rest.getFirst().message().text("subtype")).isEqualTo("error_during_execution");
        assertThat(client.query("hello").untilDone()).hasSize(4);
        assertThat(claude.starts()).hasSize(1);
    }

    @Test
    void killsProgramThatIgnoresInterrupt() throws IOException {
        client.query("deaf");
        client.nextOf("message");

        client.send("{\"cmd\":\"interrupt\"}");

        var rest = client.untilDone();
        assertThat(rest.getFirst().text("error"))
                .startsWith("Claude Code did not stop within 5 seconds of the interrupt");
        assertThat(rest.getFirst().json().isTrue("engineGone")).isFalse();
        assertThat(rest).hasSize(2);
        assertThat(client.query("hello").untilDone()).hasSize(4);
    }

    @Test
    void killsProgramThatDoesNotReadPrompt() throws IOException {
        bridge.close();
        open(Map.of("FAKE_START", "deaf"));
        client.query("x".repeat(1_000_000));
        Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> Files.exists(claude.log()));

        client.send("{\"cmd\":\"interrupt\"}");

        assertThat(client.untilDone())
                .extracting(RawClient.Event::kind)
                .containsExactly("error", "done");
    }

    @Test
    void interruptRightAfterPromptStopsTurn() throws IOException {
        for (int i = 0; i < 20; i++) {
            client.query("wait", ",\"turnId\":\"t" + i + "\"").send("{\"cmd\":\"interrupt\"}");

            assertThat(client.untilDone())
                    .extracting(event -> event.message().text("subtype"))
                    .containsExactly("init", "error_during_execution", "");
        }
        assertThat(claude.starts()).hasSize(1);
    }

    @Test
    void interruptsOnlyNamedTurn() throws IOException {
        client.query("hello", ",\"turnId\":\"t1\"").untilDone();
        client.query("wait", ",\"turnId\":\"t2\"");
        client.nextOf("message");

        client.send("{\"cmd\":\"interrupt\",\"turnId\":\"t1\"}");
        client.send("{\"cmd\":\"exec\",\"id\":\"e\",\"command\":\"true\"}");
        assertThat(client.next().kind()).isEqualTo("exec_result");
        assertThat(claude.read()).noneMatch(entry -> entry.line().contains("\"interrupt\""));

        client.send("{\"cmd\":\"interrupt\",\"turnId\":\"t2\"}");
        assertThat(client.untilDone()).hasSize(2);
    }

    @Test
    void ignoresInterruptBetweenTurns() throws IOException {
        client.query("hello").untilDone();
        client.send("{\"cmd\":\"interrupt\"}");

        assertThat(client.query("hello").untilDone().get(2).message().text("subtype"))
                .isEqualTo("success");
    }
}
