package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Which engine runs, and what happens when there is none or it dies. */
class EngineTest {
    @Test
    void anEngineThatDiesInATurnEndsItWithErrorAndDoneAndTheSessionCanResume() throws IOException {
        try (var server = withFakeClaude()) {
            server.deploy("hello");
            var session = server.session("hello");
            var first = Frame.said(session.ask("hello"));

            var frames = session.ask("DIE");

            assertThat(Frame.names(frames)).endsWith("error", "done");
            assertThat(Frame.only("error", frames).getFirst().data()).contains("out of luck");
            if (session.status().equals("error")) {
                session.post("resume").expect(200);
            }
            assertThat(Frame.said(session.ask("again"))).startsWith("pid ").isNotEqualTo(first);
        }
    }

    @Test
    void anEngineIsKeptAliveBetweenTurns() throws IOException {
        try (var server = withFakeClaude()) {
            server.deploy("hello");
            var session = server.session("hello");

            assertThat(Frame.said(session.ask("one"))).isEqualTo(Frame.said(session.ask("two")));
        }
    }

    @Test
    void aLineOfTheEngineThatIsNoJsonIsNoMessage() throws IOException {
        try (var server = withFakeClaude()) {
            server.deploy("hello");

            var frames = server.session("hello").ask("GARBAGE");

            assertThat(Frame.only("message", frames))
                    .extracting(Frame::type)
                    .containsExactly("system", "assistant", "result");
        }
    }

    @Test
    void aMissingClaudeProgramSaysHowToInstallIt() {
        try (var server = AshServer.start(Map.of("ASH_ENGINE", "claude", "PATH", "/usr/bin:/bin"))) {
            server.deploy("hello");

            var answer = server.api().post("/api/sessions", Map.of("agent", "hello"));

            var told =
                    answer.status() == 201
                            ? Frame.only("error", askOf(server, answer)).getFirst().data()
                            : answer.at("/error").asString();
            assertThat(told).contains("claude", "npm install").doesNotContain("Exception");
        }
    }

    @Test
    void withoutAClaudeProgramTheAutomaticChoiceIsTheDemoAndSaysSo() {
        try (var server = AshServer.start(Map.of("ASH_ENGINE", "auto", "PATH", "/usr/bin:/bin"))) {
            server.deploy("hello");

            var frames = server.session("hello").ask("hello");

            assertThat(Frame.said(frames)).containsIgnoringCase("demo");
            assertThat(server.api().get("/health").at("/engine").asString()).contains("demo");
        }
    }

    private static List<Frame> askOf(AshServer server, Answer created) {
        return new TestSession(server, created.at("/session")).ask("hello");
    }

    private static AshServer withFakeClaude() throws IOException {
        var folder = TestFolder.create();
        var program =
                folder.write("bin", Map.of("claude", Resources.text("engines/fake_claude.py")))
                        .resolve("claude");
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
        return AshServer.start(
                Map.of("ASH_ENGINE", "claude", "CLAUDE_CODE_EXECUTABLE", program.toString()),
                folder);
    }
}
