package dev.ash.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests the real program with a server that supports only the plain protocol: query, resume,
 * interrupt and shutdown, without configure and turn ids.
 */
class SeedClientTest {
    @TempDir private Path directory;

    @Test
    void supportsServersOfPlainProtocol() throws Exception {
        var environment = TestBridge.environment(directory, Map.of());
        Files.writeString(directory.resolve("agent/CLAUDE.md"), "# The hello agent\nBe kind.\n");
        try (var bridge = BridgeProcess.start(directory, environment);
                var client = bridge.connect()) {
            assertThat(client.next().kind()).isEqualTo("ready");

            client.send("{\"cmd\":\"query\",\"prompt\":\"grüß dich 🌍\",\"sessionId\":\"s-1\"}");
            var turn = client.untilDone();

            assertThat(turn.getLast().text("sessionId")).isEqualTo("s-1");
            assertThat(turn.subList(0, turn.size() - 1))
                    .allSatisfy(event -> assertThat(event.kind()).isEqualTo("message"))
                    .allSatisfy(event -> assertThat(event.json().raw("turnId")).isEmpty());
            assertThat(turn)
                    .extracting(event -> event.message().text("type"))
                    .containsExactly(
                            "system", "assistant", "assistant", "user", "assistant", "result", "");
            assertThat(turn.get(1).data()).contains("grüß dich 🌍").contains("# The hello agent");

            client.send(
                    "{\"cmd\":\"query\",\"prompt\":\"demo: slow 600\",\"sessionId\":\"s-1\","
                            + "\"includePartialMessages\":true}");
            client.until(event -> event.data().contains("word-3 "));
            client.send("{\"cmd\":\"interrupt\"}");
            var interrupted = client.untilDone();
            assertThat(interrupted.get(interrupted.size() - 2).data())
                    .contains("\"subtype\":\"error_during_execution\"")
                    .contains("\"terminal_reason\":\"aborted_streaming\"");

            client.send("{\"cmd\":\"resume\",\"sessionId\":\"s-1\"}");
            assertThat(client.next().kind()).isEqualTo("done");

            client.send("{\"cmd\":\"shutdown\"}");
            assertThat(bridge.exitCode()).isZero();
            assertThat(directory.resolve("b.sock")).doesNotExist();
        }
    }
}
