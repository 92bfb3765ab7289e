package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests bridges of the plain protocol, which defines no response to {@code resume}. */
class PlainResumeTest {
    /**
     * Far below the timeouts: 60 s for a bridge that does not respond, and 40 s for {@code exec}.
     */
    private static final Duration MAX_DELAY = Duration.ofSeconds(15);

    @RegisterExtension
    static final AshExtension ash =
            AshExtension.agentsBridge().agentWithBridge("plain", "resume_bridge.py");

    @ParameterizedTest
    @ValueSource(strings = {"", "done", "error", "error done", "error 0.3 done", "1.5 done"})
    void responseToResumeDoesNotEndTurn(String answer) throws IOException {
        var session = ash.session("plain");
        assertThat(Frame.said(session.ask("first"))).isEqualTo("first");
        session.post("stop").expect(200);
        setAnswer(session, answer);

        var started = Instant.now();
        session.post("resume").expect(200);

        assertThat(Duration.between(started, Instant.now())).isLessThan(MAX_DELAY);
        assertThat(session.status()).isEqualTo("active");
        for (var prompt : List.of("second", "third")) {
            var frames = session.ask(prompt);
            assertThat(Frame.said(frames)).isEqualTo(prompt);
            assertThat(Frame.names(frames)).containsOnlyOnce("done").doesNotContain("error");
        }
        assertThat(session.workspaceFile("commands"))
                .isEqualTo("query\nshutdown\nresume\nquery\nquery\n");
    }

    /** The error is deferred until it is known not to belong to the query. */
    @Test
    void lateErrorOfResumeDoesNotEndTurn() throws IOException {
        var session = ash.session("plain");
        session.post("stop").expect(200);
        setAnswer(session, "1.5 error done");
        session.post("resume").expect(200);

        for (var prompt : List.of("first", "second")) {
            var frames = session.ask(prompt);
            assertThat(Frame.said(frames)).isEqualTo(prompt);
            assertThat(Frame.names(frames)).doesNotContain("error");
        }
        assertThat(ash.output()).contains("cannot resume: no conversation to resume");
    }

    @Test
    void resumesTwice() throws IOException {
        var session = ash.session("plain");
        for (var answer : List.of("", "error done")) {
            session.post("stop").expect(200);
            setAnswer(session, answer);
            session.post("resume").expect(200);
            session.post("resume").expect(200);
        }

        assertThat(Frame.said(session.ask("hello"))).isEqualTo("hello");
    }

    @Test
    void rejectsExecImmediately() {
        var session = ash.session("plain");
        var started = Instant.now();

        ash.api()
                .post(session.path() + "/exec", Map.of("command", "true"))
                .refused(501, "NOT_SUPPORTED", "does not support exec");

        assertThat(Duration.between(started, Instant.now())).isLessThan(MAX_DELAY);
        assertThat(Frame.said(session.ask("hello"))).isEqualTo("hello");
        assertThat(session.workspaceFile("commands")).isEqualTo("query\n");
    }

    @Test
    void storesAndStreamsNullAsMessage() {
        var session = ash.session("plain");

        var frames = session.ask("NULL");

        assertThat(Frame.only("message", frames).getFirst().data()).isEqualTo("null");
        assertThat(Frame.said(frames)).isEqualTo("NULL");
        assertThat(Frame.names(frames)).endsWith("done").doesNotContain("error");
        assertThat(new Store(ash.data()).log(session.id()))
                .filteredOn(row -> row.type().equals("message"))
                .extracting(Store.Row::data)
                .startsWith("null");
        try (var replayed = session.follow(0)) {
            assertThat(Frame.only("message", replayed.rest()).getFirst().data()).isEqualTo("null");
        }
    }

    private static void setAnswer(TestSession session, String answer) throws IOException {
        Files.writeString(session.sandbox().resolve("workspace/answer"), answer);
    }
}
