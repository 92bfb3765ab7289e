package dev.ash.bridge.codex;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.bridge.engine.Setups;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class McpServersTest {
    @TempDir private Path folder;

    @BeforeEach
    void folders() throws Exception {
        Files.createDirectories(folder.resolve("agent"));
    }

    private String translated(String file, boolean asks) throws Exception {
        Files.writeString(folder.resolve("agent/.mcp.json"), file);
        return McpServers.of(Setups.in(folder, Map.of("WORD", "w$1")), asks).toString();
    }

    @Test
    void theAgentsFileIsGivenInTheCommandsOwnWords() throws Exception {
        assertThat(
                        translated(
                                """
                                {"mcpServers":{
                                 "a":{"command":"run","args":["${WORD}","${NONE:-x}"],"env":{"K":"${NONE}"}},
                                 "b":{"type":"http","url":"http://h/${WORD}","headers":{"Authorization":"Bearer ${WORD}"}}}}
                                """,
                                false))
                .isEqualTo(
                        "{\"a\":{\"command\":\"run\",\"args\":[\"w$1\",\"x\"],\"env\":{\"K\":\"\"},"
                                + "\"env_vars\":[\"WORD\"],\"default_tools_approval_mode\":\"approve\"},"
                                + "\"b\":{\"url\":\"http://h/w$1\",\"http_headers\":{\"Authorization\":\"Bearer w$1\"},"
                                + "\"default_tools_approval_mode\":\"approve\"}}");
    }

    @Test
    void toolsAskWhereTheSessionDoes() throws Exception {
        assertThat(translated("{\"mcpServers\":{\"a\":{\"url\":\"http://h\"}}}", true))
                .contains("\"default_tools_approval_mode\":\"prompt\"");
    }

    @Test
    void whatItDoesNotKnowIsRefusedWithTheServersName() {
        assertThatThrownBy(
                        () ->
                                translated(
                                        "{\"mcpServers\":{\"old\":{\"type\":\"sse\",\"url\":\"http://h\"}}}",
                                        false))
                .hasMessageContaining("'old'")
                .hasMessageContaining("sse");
        assertThatThrownBy(() -> translated("{", false)).hasMessageContaining(".mcp.json");
    }
}
