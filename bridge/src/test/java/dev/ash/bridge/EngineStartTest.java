package dev.ash.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EngineStartTest {
    private static final String CONFIGURE =
            "{\"cmd\":\"configure\",\"sessionId\":\"" + TestBridge.SESSION + "\"}";
    private static final String START = "{\"cmd\":\"start\"}";
    private static final String REST = "{\"cmd\":\"rest\"}";

    @TempDir private Path directory;
    private FakeClaude claude;
    private TestBridge bridge;
    private RawClient client;

    @BeforeEach
    void install() throws IOException {
        claude = FakeClaude.in(directory);
    }

    private void open() throws IOException {
        bridge = TestBridge.open(directory, claude.environment());
        client = bridge.client();
        client.send(CONFIGURE);
    }

    @AfterEach
    void close() throws IOException {
        client.close();
        bridge.close();
    }

    /** Uses that {@code rest} is answered after all previously queued work. */
    private void awaitQueuedWork() throws IOException {
        client.send(REST).nextOf("resting");
    }

    @Test
    void startsEngineWithFirstPrompt() throws IOException {
        open();

        awaitQueuedWork();
        assertThat(claude.log()).doesNotExist();
        client.query("hello").untilDone();

        assertThat(claude.starts()).hasSize(1);
    }

    @Test
    void startsEngineOnRequest() throws IOException {
        open();
        client.send(START);

        awaitQueuedWork();

        assertThat(claude.starts()).hasSize(1);
    }

    @Test
    void firstPromptUsesEngineThatStartedEarly() throws IOException {
        open();
        client.send(START);

        var turn = client.query("hello").untilDone();

        assertThat(turn.get(1).data()).contains("you said hello");
        assertThat(claude.starts()).hasSize(1);
    }

    @Test
    void startsEngineOnceForRepeatedRequests() throws IOException {
        open();

        client.send(START).send(START);
        awaitQueuedWork();

        assertThat(claude.starts()).hasSize(1);
    }

    @Test
    void firstPromptFailsIfEngineCannotStart() throws IOException {
        Files.delete(claude.program());
        open();
        client.send(START);

        var turn = client.query("hello").untilDone();

        assertThat(turn.getFirst().text("error")).contains("CLAUDE_CODE_EXECUTABLE is set to");
        assertThat(turn).extracting(RawClient.Event::kind).containsExactly("error", "done");
    }
}
