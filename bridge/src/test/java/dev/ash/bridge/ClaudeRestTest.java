package dev.ash.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests {@code rest} and {@code continue} with the real CLI. */
class ClaudeRestTest {
    @TempDir private Path directory;
    private RealClaude claude;

    @BeforeEach
    void prepare() throws IOException {
        claude = RealClaude.in(directory);
        open();
    }

    private void open() throws IOException {
        claude.open();
        claude.configure(",\"permissionMode\":\"ask\"");
    }

    private void reopen() throws IOException {
        claude.client().send("{\"cmd\":\"shutdown\"}").close();
        claude.bridge().close();
        open();
    }

    @AfterEach
    void close() throws IOException {
        if (claude != null) {
            claude.close();
        }
    }

    private RawClient client() {
        return claude.client();
    }

    private RawClient.Event rest() throws IOException {
        return client().send("{\"cmd\":\"rest\"}").nextOf("resting");
    }

    private RawClient.Event continued() throws IOException {
        client().send(
                        "{\"cmd\":\"continue\",\"sessionId\":\""
                                + TestBridge.SESSION
                                + "\",\"turnId\":\"t1\"}");
        return client().nextOf("approval");
    }

    private Path file(String name) {
        return claude.bridge().workspace().resolve(name);
    }

    @Test
    void closesIdleEngineAfterItWroteTranscript() throws IOException {
        client().query("remember the word PELICAN").untilDone();

        assertThat(rest().line()).contains("\"ready\":true").doesNotContain("laidAside");
        var pid = Long.parseLong(claude.starts().getLast());
        assertThat(ProcessHandle.of(pid).filter(ProcessHandle::isAlive)).isEmpty();

        client().query("which word?").untilDone();
        assertThat(claude.api().lastRequest().at("messages").line()).contains("PELICAN");
    }

    @Test
    void defersSingleQuestionForNextBridge() throws IOException {
        client().query("TOOL Bash {\"command\":\"ls > listed\"}", ",\"turnId\":\"t1\"");
        var asked = client().nextOf("approval");

        var resting = rest();
        assertThat(resting.line()).contains("\"ready\":true");
        assertThat(resting.text("laidAside")).isEqualTo(asked.text("id"));
        claude.approve(asked, true, ""); // too late: no longer open
        client().send("{\"cmd\":\"attach\",\"after\":" + resting.n() + "}");
        assertThat(client().next().line())
                .isEqualTo("{\"ev\":\"attached\",\"state\":\"idle\",\"last\":" + resting.n() + "}");
        reopen();
        assertThat(file("listed")).doesNotExist();

        var again = continued();
        assertThat(again.text("id")).isEqualTo(asked.text("id"));
        assertThat(again.text("turnId")).isEqualTo("t1");
        assertThat(again.at("input").line()).isEqualTo(asked.at("input").line());
        claude.approve(again, true, ",\"input\":{\"command\":\"touch changed\"}");
        var turn = client().untilDone();

        assertThat(turn).allSatisfy(event -> assertThat(event.text("turnId")).isEqualTo("t1"));
        assertThat(turn).extracting(RawClient.Event::kind).doesNotContain("error", "approval");
        assertThat(turn.get(turn.size() - 2).message().text("subtype")).isEqualTo("success");
        assertThat(turn)
                .extracting(event -> event.message().text("type"))
                .doesNotContain("progress", "attachment");
        assertThat(file("changed")).exists();
        assertThat(file("listed")).doesNotExist();
        client().query("hello").untilDone();
        assertThat(claude.api().lastRequest().at("messages").line()).contains("tool_result");
    }

    @Test
    void asksDeferredCallAgainEvenIfProgramAllowsIt() throws IOException {
        client().query("TOOL Bash {\"command\":\"ls\"}", ",\"turnId\":\"t1\"");
        var asked = client().nextOf("approval");
        rest();

        // The server continues the turn in the same bridge.
        var again = continued();
        assertThat(again.text("id")).isEqualTo(asked.text("id"));
        claude.approve(again, false, ",\"message\":\"rather not\"");

        assertThat(client().untilDone())
                .anySatisfy(event -> assertThat(event.data()).contains("rather not"));
    }

    @Test
    void doesNotRestWithSeveralOpenCalls() throws IOException {
        client().query(
                        "TOOL Bash {\"command\":\"touch one\"} AND TOOL Bash {\"command\":\"touch two\"}",
                        ",\"turnId\":\"t1\"");
        var first = client().nextOf("approval");
        client().until(event -> event.data().contains("touch two"));

        var resting = rest();

        assertThat(resting.line()).contains("\"ready\":false");
        assertThat(resting.text("why")).isEqualTo("Other work of the turn is still open");
        claude.approve(first, true, "");
        claude.approve(client().nextOf("approval"), true, "");
        client().untilDone();
        assertThat(file("one")).exists();
        assertThat(file("two")).exists();
    }

    @Test
    void doesNotRestDuringWork() throws IOException {
        client().query("STREAM", ",\"turnId\":\"t1\",\"includePartialMessages\":true");
        client().until(event -> event.data().contains("more "));
        assertThat(rest().text("why"))
                .isEqualTo("The turn is not waiting for exactly one approval");
        client().send("{\"cmd\":\"interrupt\"}").nextOf("done");

        client().query(
                        "TOOL Bash {\"command\":\"sleep 30\",\"run_in_background\":true}",
                        ",\"turnId\":\"t2\"");
        claude.approve(client().nextOf("approval"), true, "");
        client().untilDone();
        assertThat(rest().text("why")).isEqualTo("The engine has a task running in the background");
    }

    @Test
    void continueFailsWithoutDeferredQuestion() throws IOException {
        client().query("hello").untilDone();
        client().send(
                        "{\"cmd\":\"continue\",\"sessionId\":\""
                                + TestBridge.SESSION
                                + "\",\"turnId\":\"t9\"}");

        var failed = client().untilDone();

        assertThat(failed.getFirst().text("error")).contains("no deferred question");
        assertThat(client().query("hello").untilDone()).hasSizeGreaterThan(2);
    }
}
