package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests engine selection on a machine without the Claude Code CLI. */
class EngineChoiceTest {
    @Test
    void missingClaudeErrorNamesInstallCommand() {
        try (var server =
                AshServer.start(Map.of("ASH_ENGINE", "claude", "PATH", "/usr/bin:/bin"))) {
            server.deploy("hello");

            var answer = server.api().post("/api/sessions", Map.of("agent", "hello"));

            var error =
                    answer.status() == 201
                            ? Frame.only("error", ask(server, answer)).getFirst().data()
                            : answer.at("/error").asString();
            assertThat(error)
                    .contains("claude", "ash engines install claude")
                    .doesNotContain("Exception");
        }
    }

    @Test
    void autoSelectsDemoWithoutClaude() {
        try (var server = AshServer.start(Map.of("ASH_ENGINE", "auto", "PATH", "/usr/bin:/bin"))) {
            server.deploy("hello");

            var frames = server.session("hello").ask("hello");

            assertThat(Frame.said(frames)).containsIgnoringCase("demo");
            assertThat(server.api().get("/health").at("/engine").asString()).contains("demo");
        }
    }

    private static List<Frame> ask(AshServer server, ApiResponse created) {
        return new TestSession(server, created.at("/session")).ask("hello");
    }
}
