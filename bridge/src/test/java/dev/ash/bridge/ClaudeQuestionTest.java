package dev.ash.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests questions of the claude engine that the real program asks only in race conditions. */
class ClaudeQuestionTest {
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
        client.send(
                "{\"cmd\":\"configure\",\"sessionId\":\""
                        + TestBridge.SESSION
                        + "\",\"permissionMode\":\"ask\"}");
    }

    @AfterEach
    void close() throws IOException {
        client.close();
        bridge.close();
    }

    private void approve(String id, String more) throws IOException {
        client.send("{\"cmd\":\"approve\",\"id\":\"" + id + "\",\"allow\":true" + more + "}");
    }

    @Test
    void installsHookForEveryTool() throws IOException {
        client.query("hello").untilDone();

        assertThat(claude.read().getFirst().at("request").at("hooks").line())
                .isEqualTo(
                        "{\"PreToolUse\": [{\"hookCallbackIds\": [\"ash\"], \"timeout\": 2000000}]}");
        assertThat(claude.starts().getFirst())
                .containsSequence(
                        "--permission-mode", "default", "--permission-prompt-tool", "stdio");
    }

    @Test
    void withdrawsCancelledQuestionOnly() throws IOException {
        client.query("asks", ",\"turnId\":\"t1\"");
        assertThat(client.nextOf("approval").text("id")).isEqualTo("u1");
        assertThat(client.nextOf("approval").text("id")).isEqualTo("u2");
        assertThat(client.nextOf("approval_gone").text("id")).isEqualTo("u2");

        approve("u2", "");
        approve("u1", ",\"input\":[\"no object\"]");

        assertThat(client.untilDone().getFirst().data())
                .contains("\\\"request_id\\\": \\\"h1\\\"")
                .contains("\\\"permissionDecision\\\": \\\"deny\\\"")
                .contains("is not a JSON object");
    }

    @Test
    void questionMayOutliveItsTurn() throws IOException {
        client.query("asks-late", ",\"turnId\":\"t1\"");
        assertThat(client.untilDone())
                .extracting(RawClient.Event::kind)
                .containsExactly("message", "approval", "message", "done");

        approve("u1", "");

        Awaitility.await()
                .atMost(Duration.ofMinutes(1))
                .until(
                        () ->
                                claude.read()
                                        .getLast()
                                        .line()
                                        .contains("\"permissionDecision\": \"allow\""));
    }

    @Test
    void doesNotAskAgainForApprovedCall() throws IOException {
        client.query("asks-twice", ",\"turnId\":\"t1\"").nextOf("approval");
        approve("u1", ",\"input\":{\"command\":\"changed\"}");

        var rest = client.untilDone();

        assertThat(rest).extracting(RawClient.Event::kind).doesNotContain("approval");
        assertThat(rest.getFirst().data())
                .contains("\\\"behavior\\\": \\\"allow\\\"")
                .contains("\\\"updatedInput\\\": {\\\"command\\\": \\\"changed\\\"}");
    }

    @Test
    void questionOfEngineTurnDoesNotAcceptPrompt() throws IOException {
        client.query("asks-crossed", ",\"turnId\":\"t1\"").nextOf("approval");
        approve("u1", "");

        var rest = client.untilDone();

        assertThat(rest.get(rest.size() - 3).data()).contains("the answer");
    }

    @Test
    void continuedTurnMayAskBeforeHookIsInstalled() throws IOException {
        client.query("hello").untilDone();
        client.close();
        bridge.close();
        open(Map.of("FAKE_START", "early"));

        client.send(
                "{\"cmd\":\"continue\",\"sessionId\":\""
                        + TestBridge.SESSION
                        + "\",\"turnId\":\"t1\"}");
        var question = client.nextOf("approval");
        assertThat(question.text("id")).isEqualTo("u1");
        assertThat(question.text("turnId")).isEqualTo("t1");
        approve("u1", "");

        var rest = client.untilDone();
        assertThat(rest).allSatisfy(event -> assertThat(event.text("turnId")).isEqualTo("t1"));
        assertThat(rest.get(1).data()).contains("\\\"behavior\\\": \\\"allow\\\"");
        assertThat(claude.starts().getLast())
                .containsSequence(
                        "--settings", "{\"permissions\":{\"ask\":[\"Bash\",\"WebFetch\"]}}");
    }
}
