package dev.ash.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the demo in the permission mode {@code ask}. */
class DemoApprovalTest {
    @TempDir private Path directory;
    private TestBridge bridge;
    private RawClient client;

    @BeforeEach
    void open() throws IOException {
        bridge = TestBridge.open(directory);
        client = bridge.client();
        client.send(
                "{\"cmd\":\"configure\",\"sessionId\":\""
                        + TestBridge.SESSION
                        + "\",\"permissionMode\":\"ask\"}");
        Files.writeString(bridge.workspace().resolve("needle.txt"), "x");
    }

    @AfterEach
    void close() throws IOException {
        client.close();
        bridge.close();
    }

    private RawClient.Event ask() throws IOException {
        return client.query("hello", ",\"turnId\":\"t1\"").nextOf("approval");
    }

    private void approve(RawClient.Event question, String more) throws IOException {
        client.send("{\"cmd\":\"approve\",\"id\":\"" + question.text("id") + "\"" + more + "}");
    }

    @Test
    void asksBeforeToolAndRunsItAfterApproval() throws IOException {
        var question = ask();

        assertThat(question.text("turnId")).isEqualTo("t1");
        assertThat(question.text("kind")).isEqualTo("tool");
        assertThat(question.text("tool")).isEqualTo("Bash");
        assertThat(question.text("toolUseId")).startsWith("toolu_demo_");
        assertThat(question.at("input").text("command")).isEqualTo("ls -la");
        client.send("{\"cmd\":\"approve\",\"id\":\"another\",\"allow\":false}");
        approve(question, ",\"allow\":true");

        assertThat(client.untilDone().getFirst().data()).contains("needle.txt");
    }

    @Test
    void runsModifiedCommand() throws IOException {
        approve(ask(), ",\"allow\":true,\"input\":{\"command\":\"echo other\"}");

        var turn = client.untilDone();
        assertThat(turn.getFirst().data()).contains("other").doesNotContain("needle.txt");
        assertThat(turn.get(1).data()).contains("`echo other` exited with code 0");
    }

    @Test
    void reportsRejectionAndContinues() throws IOException {
        approve(ask(), ",\"allow\":false,\"message\":\"not now\"");

        var turn = client.untilDone();
        assertThat(turn.getFirst().data()).contains("\"is_error\":true").contains("not now");
        assertThat(turn.get(1).data()).contains("was not approved: not now");
        assertThat(turn.get(2).message().text("subtype")).isEqualTo("success");
    }

    @Test
    void interruptEndsTurnAndWithdrawsQuestion() throws IOException {
        var question = ask();
        client.send("{\"cmd\":\"interrupt\",\"turnId\":\"t1\"}");

        var rest = client.untilDone();
        assertThat(rest.getFirst().kind()).isEqualTo("approval_gone");
        assertThat(rest.getFirst().text("id")).isEqualTo(question.text("id"));
        assertThat(rest.get(rest.size() - 2).message().text("subtype"))
                .isEqualTo("error_during_execution");
    }

    @Test
    void nextBridgeAsksDeferredQuestionAgain() throws IOException {
        var question = ask();
        var resting = client.send("{\"cmd\":\"rest\"}").next();
        assertThat(resting.kind()).isEqualTo("resting");
        assertThat(resting.text("laidAside")).isEqualTo(question.text("id"));
        client.close();
        bridge.close();

        open();
        client.send(
                "{\"cmd\":\"continue\",\"sessionId\":\""
                        + TestBridge.SESSION
                        + "\",\"turnId\":\"t1\"}");
        var again = client.nextOf("approval");
        assertThat(again.text("id")).isEqualTo(question.text("id"));
        assertThat(again.text("turnId")).isEqualTo("t1");
        approve(again, ",\"allow\":true");

        var turn = client.untilDone();
        assertThat(turn.getFirst().data()).contains("needle.txt");
        assertThat(turn).allSatisfy(event -> assertThat(event.text("turnId")).isEqualTo("t1"));
    }

    @Test
    void restsOnlyWhenIdle() throws IOException {
        assertThat(client.send("{\"cmd\":\"rest\"}").next().line())
                .isEqualTo("{\"ev\":\"resting\",\"n\":1,\"ready\":true}");

        client.query("demo: slow 600", ",\"turnId\":\"t1\"").nextOf("message");
        assertThat(client.send("{\"cmd\":\"rest\"}").next().text("why"))
                .isEqualTo("The turn is not waiting for an answer");
        client.send("{\"cmd\":\"interrupt\"}").untilDone();

        client.send("{\"cmd\":\"exec\",\"id\":\"e\",\"command\":\"touch up; sleep 30\"}");
        Awaitility.await()
                .atMost(Duration.ofMinutes(1))
                .until(() -> Files.exists(bridge.workspace().resolve("up")));
        assertThat(client.send("{\"cmd\":\"rest\"}").next().text("why"))
                .isEqualTo("A command is running in the sandbox");
    }

    @Test
    void continueFailsWithoutDeferredQuestion() throws IOException {
        client.send("{\"cmd\":\"continue\",\"sessionId\":\"s\",\"turnId\":\"t1\"}");

        assertThat(client.untilDone().getFirst().text("error"))
                .isEqualTo("There is no deferred question in this sandbox");
    }
}
