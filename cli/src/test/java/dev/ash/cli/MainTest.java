package dev.ash.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.cli.Ash.Result;
import dev.ash.sdk.FakeServer;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MainTest {
    @TempDir Path root;

    private Result run(String... args) {
        return new Ash(root).run(args);
    }

    @Test
    void helpListsCommandsAndExitCodes() {
        assertThat(run().out()).contains("chat", "doctor", "session", "Exit codes");
        assertThat(run("--help")).isEqualTo(run("help"));
        assertThat(run("session", "--help").out()).contains("interrupt", "exec", "watch");
        assertThat(run("help", "session", "send").out()).startsWith("Usage: ash session send");
    }

    @Test
    void printsVersion() {
        assertThat(run("--version").out()).matches("ash \\d+\\.\\d+\\.\\d+ \\(Java .*\\)\n");
        assertThat(run("--json", "version").out()).startsWith("{\"version\":\"");
        assertThat(run("version", "--json").out()).isEqualTo(run("--json", "version").out());
    }

    @Test
    void explainsInvalidUsage() {
        assertThat(run("sesion"))
                .isEqualTo(
                        new Result(
                                2,
                                "",
                                "ash: Unmatched argument at index 0: 'sesion' (did you mean session or version or secrets?). See `ash --help`.\n"));
        assertThat(run("session").exitCode()).isEqualTo(2);
        assertThat(run("session", "show").err())
                .contains("Missing required parameter: 'SESSION'")
                .contains("ash session show --help");
        assertThat(run("health", "--nope").exitCode()).isEqualTo(2);
        assertThat(run("start", "--port", "many").err()).contains("'many' is not an int");
        assertThat(run("chat").err()).contains("AGENT is missing");
        assertThat(run("chat", "a", "b", "--end", "--keep").exitCode()).isEqualTo(2);
    }

    @Test
    void explainsHowToStartTheServer() {
        var result = new Ash(root).with("ASH_SERVER_URL", "http://localhost:1").run("health");

        assertThat(result.exitCode()).isEqualTo(3);
        assertThat(result.out()).isEmpty();
        assertThat(result.err()).startsWith("ash: No Ash server").contains("ash start");
    }

    @ParameterizedTest
    @CsvSource({
        "404, AGENT_NOT_FOUND, 4",
        "401, UNAUTHORIZED, 5",
        "403, FORBIDDEN, 5",
        "403, PATH_NOT_ALLOWED, 1",
        "409, SESSION_BUSY, 6",
        "410, SESSION_ENDED, 6",
        "400, SESSION_NOT_ACTIVE, 6",
        "400, VALIDATION_FAILED, 1",
        "503, CAPACITY_REACHED, 8",
        "429, RATE_LIMITED, 8",
        "500, INTERNAL, 1"
    })
    void mapsErrorsToExitCodes(int status, String code, int exitCode) throws IOException {
        var body = "{\"error\":\"Why\",\"code\":\"%s\"}".formatted(code);
        try (var server = new FakeServer().on("GET /api/agents", status, body)) {
            var ash = new Ash(root).server(server);

            var text = ash.run("agent", "list");
            assertThat(text.exitCode()).isEqualTo(exitCode);
            assertThat(text.err()).startsWith("ash: Why");

            var json = ash.run("agent", "list", "--json");
            assertThat(json.exitCode()).isEqualTo(exitCode);
            assertThat(json.out()).isEmpty();
            assertThat(json.err())
                    .contains("\"code\":\"" + code + "\"")
                    .contains("\"statusCode\":" + status);
        }
    }

    @Test
    void reportsOriginOfRejectedKey() throws IOException {
        try (var server =
                new FakeServer().on("GET /api/agents", 401, "{\"error\":\"Invalid API key\"}")) {
            assertThat(new Ash(root).server(server).run("agent", "list").err())
                    .contains("Invalid API key.")
                    .contains("came from ASH_API_KEY");
        }
    }

    @Test
    void rejectsInvalidServerUrl() {
        var result = new Ash(root).with("ASH_SERVER_URL", "localhost:4100").run("health");

        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.err()).contains("http://localhost:4100");
    }

    @Test
    void trainsWithoutServerAndOutput() {
        assertThat(run("__train")).isEqualTo(new Result(0, "", ""));
    }
}
