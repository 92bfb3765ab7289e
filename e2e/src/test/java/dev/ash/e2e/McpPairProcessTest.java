package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests {@code ash mcp pair}, the MCP server of the mailbox, as a process that engines start. */
class McpPairProcessTest {
    private final TestDirectory directory = TestDirectory.create();

    @AfterEach
    void close() {
        directory.close();
    }

    @Test
    void d33_answersEarlyRequestsAndExitsAtEndOfInput() throws Exception {
        try (var claude = McpPairProgram.start(directory, "claude")) {
            claude.send("initialize", "{\"protocolVersion\":\"2025-11-25\"}");
            claude.send("ping", "{}");

            assertThat(claude.readResponse().path("result").path("protocolVersion").asString())
                    .isEqualTo("2025-11-25");
            assertThat(claude.readResponse().path("id").asInt()).isEqualTo(2);
            assertThat(claude.closeInput()).isZero();
            assertThat(claude.errors()).isEmpty();
        }
    }

    @Test
    void d4_opensNoSockets() throws Exception {
        try (var claude = McpPairProgram.start(directory, "claude")) {
            claude.call("bridge_status", "{}");

            assertThat(sockets(claude.pid())).isZero();
        }
    }

    @Test
    void d7_killedPeerReceivesMissedMessages() throws Exception {
        try (var claude = McpPairProgram.start(directory, "claude");
                var codex = McpPairProgram.start(directory, "codex")) {
            codex.send(
                    "tools/call",
                    "{\"name\":\"receive_messages\",\"arguments\":{\"wait_seconds\":60}}");
            claude.call("send_to_agent", message("codex", "one"));
            assertThat(codex.readResponse().toString()).contains("one");
            claude.call("send_to_agent", message("codex", "two"));
            assertThat(codex.receive("{}")).containsExactly("two");
            codex.kill();
            claude.call("send_to_agent", message("codex", "three"));
        }
        try (var codex = McpPairProgram.start(directory, "codex")) {
            assertThat(codex.receive("{}"))
                    .as("the next receive acknowledged one, but nothing acknowledged two")
                    .containsExactly("two", "three");
            assertThat(codex.receive("{}")).isEmpty();
        }
    }

    @Test
    void d5_processesWithSameNameShareItsMessages() throws Exception {
        try (var first = McpPairProgram.start(directory, "claude");
                var second = McpPairProgram.start(directory, "claude");
                var codex = McpPairProgram.start(directory, "codex")) {
            first.call("send_to_agent", message("codex", "from the first"));
            second.call("send_to_agent", message("codex", "from the second"));

            assertThat(codex.receive("{\"limit\":10}")).hasSize(2);
            assertThat(second.receive("{}")).isEmpty();
        }
    }

    private static String message(String to, String text) {
        return "{\"to\":\"%s\",\"message_type\":\"chat\",\"content\":\"%s\"}".formatted(to, text);
    }

    private static long sockets(long pid) throws IOException {
        try (var files = Files.list(Path.of("/proc/" + pid + "/fd"))) {
            return files.filter(
                            file -> {
                                try {
                                    return Files.readSymbolicLink(file)
                                            .toString()
                                            .startsWith("socket:");
                                } catch (IOException e) {
                                    return false;
                                }
                            })
                    .count();
        }
    }
}
