package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Checks that server and bridge work with peers that implement only the plain protocol. */
class SeedBridgeTest {
    @Test
    void serverWorksWithPlainPythonBridge() {
        try (var ash =
                AshExtension.agentsBridge().agentWithBridge("echo", "seed_bridge.py").open()) {
            var session = ash.session("echo");
            var created = Instant.now();

            var frames = session.ask("grüße 🚀");

            assertThat(Frame.names(frames))
                    .containsSubsequence(
                            "session_start", "message", "turn_complete", "message", "done");
            assertThat(Frame.said(frames)).isEqualTo("grüße 🚀");
            assertThat(Frame.only("message", frames).getFirst().json().path("session").asString())
                    .isEqualTo(session.id());
            assertThat(Frame.said(session.ask("second"))).isEqualTo("second");
            session.post("stop").expect(200);
            session.post("resume").expect(200);
            assertThat(Frame.said(session.ask("third"))).isEqualTo("third");
            var lines = logs(ash.server(), session);
            assertThat(lines)
                    .extracting(line -> line.path("text").asString())
                    .containsExactly("seed bridge listens", "seed bridge listens");
            assertThat(Instant.parse(lines.getFirst().path("ts").asString())).isBefore(created);
            assertThat(Instant.parse(lines.getLast().path("ts").asString())).isAfter(created);
        }
    }

    @Test
    void bridgeWorksWithPlainPythonClient() throws Exception {
        try (var directory = TestDirectory.create()) {
            var client =
                    directory.write(
                            "client", Map.of("c.py", Resources.text("bridges/seed_client.py")));
            var agent = directory.write("agent", Map.of("CLAUDE.md", "You are plain.\n"));

            var events = run(directory, client.resolve("c.py"), agent);

            assertThat(events.getFirst().path("ev").asString()).isEqualTo("ready");
            var kinds = events.stream().map(event -> event.path("ev").asString()).toList();
            assertThat(kinds).containsOnly("ready", "message", "done");
            assertThat(kinds.stream().filter("done"::equals)).hasSize(4);
            assertThat(events)
                    .filteredOn(event -> event.path("ev").asString().equals("done"))
                    .allSatisfy(
                            event ->
                                    assertThat(event.path("sessionId").asString())
                                            .isEqualTo("550e8400-e29b-41d4-a716-446655440000"));
            assertThat(events)
                    .extracting(event -> event.at("/data/type").asString(""))
                    .contains("assistant", "result", "stream_event");
        }
    }

    private static List<JsonNode> run(TestDirectory directory, Path client, Path agent)
            throws IOException, InterruptedException {
        var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        var builder =
                new ProcessBuilder(
                        "python3",
                        client.toString(),
                        directory.path().resolve("ash-12345678.sock").toString(),
                        java,
                        "-cp",
                        ServerLaunch.jars(ServerLaunch.dist().resolve("bridge")),
                        "dev.ash.bridge.BridgeMain");
        var env = builder.environment();
        env.keySet().retainAll(List.of("PATH", "LANG"));
        env.put("HOME", directory.path().toString());
        env.put("ASH_AGENT_DIR", agent.toString());
        env.put("ASH_WORKSPACE_DIR", agent.toString());
        env.put("ASH_SANDBOX_ID", "12345678-e29b-41d4-a716-446655440000");
        env.put("ASH_SESSION_ID", "550e8400-e29b-41d4-a716-446655440000");
        env.put("ASH_ENGINE", "demo");
        var errors = directory.path().resolve("stderr").toFile();
        var process = builder.redirectError(errors).directory(agent.toFile()).start();
        var lines = process.inputReader().readAllLines();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue())
                .as(() -> String.join("\n", lines) + "\n" + read(errors.toPath()))
                .isZero();
        assertThat(lines.getLast()).isEqualTo("exit code 0");
        var mapper = new JsonMapper();
        return lines.subList(0, lines.size() - 1).stream().map(mapper::readTree).toList();
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return e.toString();
        }
    }

    private static List<JsonNode> logs(AshServer server, TestSession session) {
        var answer = server.api().get(session.path() + "/logs").expect(200);
        return answer.at("/logs").valueStream().toList();
    }
}
