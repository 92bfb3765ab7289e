package dev.ash.cli.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.cli.Ash;
import dev.ash.cli.command.ExitCode;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class McpPairCommandTest {
    private static final String SEND =
            """
            {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}
            {"jsonrpc":"2.0","method":"notifications/initialized"}
            {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"send_to_agent","arguments":{"to":"codex","message_type":"chat","content":"grüße"}}}
            """;

    @TempDir Path root;

    @Test
    void servesUntilEndOfInput() throws Exception {
        var result = ash(SEND).run("mcp", "pair", "--run", "1", "--peer", "claude");

        assertThat(result.exitCode()).as(result.err()).isZero();
        assertThat(result.err()).isEmpty();
        assertThat(result.out().lines())
                .satisfiesExactly(
                        line -> assertThat(line).contains("2025-06-18"),
                        line -> assertThat(line).contains("Message sent: id="));
        assertThat(mailbox())
                .contains("\"from\":\"claude\",\"to\":\"codex\",\"content\":\"grüße\"");
    }

    @Test
    void acceptsOptionsWithEqualsSign() throws Exception {
        Files.createDirectories(root.resolve("there"));
        var result =
                ash(SEND)
                        .run(
                                "mcp",
                                "pair",
                                "--repo=there",
                                "--peers=claude-2,codex",
                                "--role=reviewer",
                                "--peer=claude-2",
                                "--run=nightly");

        assertThat(result.exitCode()).as(result.err()).isZero();
        assertThat(mailbox()).contains("\"from\":\"claude-2\"", "\"run_id\":0");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "mcp pair --run 1",
                "mcp pair --peer claude",
                "mcp pair --run 1 --peer human",
                "mcp pair --run ../1 --peer claude",
                "mcp pair --run 1 --peer claude --role boss",
                "mcp pair --run 1 --peer --role reviewer",
                "mcp pair --run 1 --peer claude --peers claude,,codex",
                "mcp pair --run 1 --peer claude --no-such x"
            })
    void rejectsInvalidUsageWithMessage(String line) {
        var result = ash("").run(line.split(" "));

        assertThat(result.exitCode()).as(result.err()).isEqualTo(ExitCode.USAGE);
        assertThat(result.out()).isEmpty();
        assertThat(result.err()).startsWith("ash: ").doesNotContain("Unexpected error");
        assertThat(root.resolve("home/.agentpair")).doesNotExist();
    }

    @Test
    void reportsMissingDirectory() {
        var result =
                ash("").run("mcp", "pair", "--run", "1", "--peer", "claude", "--repo", "nowhere");

        assertThat(result.exitCode()).isEqualTo(ExitCode.FAILED);
        assertThat(result.err()).contains("Cannot open the mailbox of run 1");
    }

    private Ash ash(String input) {
        return new Ash(root).input(input);
    }

    private String mailbox() throws Exception {
        try (var files = Files.walk(root.resolve("home/.agentpair/runs"))) {
            return Files.readString(
                    files.filter(file -> file.endsWith("bridge.jsonl")).findFirst().orElseThrow());
        }
    }
}
