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
    @TempDir private Path directory;

    @BeforeEach
    void directories() throws Exception {
        Files.createDirectories(directory.resolve("agent"));
    }

    private String translate(String file, boolean asks) throws Exception {
        Files.writeString(directory.resolve("agent/.mcp.json"), file);
        return McpServers.of(Setups.in(directory, Map.of("WORD", "w$1")), asks).toString();
    }

    @Test
    void convertsAgentFileToCodexFormat() throws Exception {
        assertThat(
                        translate(
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
    void toolsRequireApprovalIfRequested() throws Exception {
        assertThat(translate("{\"mcpServers\":{\"a\":{\"url\":\"http://h\"}}}", true))
                .contains("\"default_tools_approval_mode\":\"prompt\"");
    }

    @Test
    void rejectsUnknownTypesWithServerName() {
        assertThatThrownBy(
                        () ->
                                translate(
                                        "{\"mcpServers\":{\"old\":{\"type\":\"sse\",\"url\":\"http://h\"}}}",
                                        false))
                .hasMessageContaining("'old'")
                .hasMessageContaining("sse");
        assertThatThrownBy(() -> translate("{", false)).hasMessageContaining(".mcp.json");
    }
}
