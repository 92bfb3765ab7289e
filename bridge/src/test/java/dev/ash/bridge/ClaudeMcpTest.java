package dev.ash.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests MCP servers with the real CLI, which by default does not wait for slow servers. */
class ClaudeMcpTest {
    /** More than the default timeout of the CLI. */
    private static final String SLOW = "3";

    @TempDir private Path directory;
    private RealClaude claude;

    @BeforeEach
    void prepare() throws IOException {
        claude = RealClaude.in(directory);
        try (var script =
                Objects.requireNonNull(getClass().getResourceAsStream("/mcp-server.py"))) {
            Files.write(directory.resolve("mcp.py"), script.readAllBytes());
        }
    }

    @AfterEach
    void close() throws IOException {
        if (claude != null) {
            claude.close();
        }
    }

    private String servers(String name, String delay) {
        return "\"mcpServers\":{\"%s\":{\"command\":\"python3\",\"args\":[\"%s\",\"%s\",\"%s\"]}}"
                .formatted(name, directory.resolve("mcp.py"), name, delay);
    }

    private void open(String config) throws IOException {
        claude.open();
        claude.configure("," + config);
    }

    private RawClient client() {
        return claude.client();
    }

    private String answerTo(String prompt) throws IOException {
        var turn = client().query(prompt).untilDone();
        assertThat(turn).extracting(RawClient.Event::kind).doesNotContain("error");
        return turn.get(turn.size() - 2).message().text("result");
    }

    private RawClient.Event firstRequestWith(String prompt) {
        return claude.api().requests().stream()
                .filter(request -> request.at("messages").line().contains(prompt))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void callsToolsOfAgentAndSessionServers() throws IOException {
        Files.writeString(
                directory.resolve("workspace/.mcp.json"), "{" + servers("mine", "0") + "}");
        open(servers("extra", "0"));

        assertThat(answerTo("TOOL mcp__mine__echo {\"word\":\"one\"}")).contains("mine heard one");
        assertThat(answerTo("TOOL mcp__extra__echo {\"word\":\"two\"}"))
                .contains("extra heard two");
    }

    @Test
    void firstRequestAfterEachStartHasToolsOfSlowServer() throws IOException {
        open(servers("late", SLOW));
        answerTo("first");
        assertThat(firstRequestWith("first").at("tools").line()).contains("mcp__late__echo");

        client().send("{\"cmd\":\"shutdown\"}").close();
        claude.bridge().close();
        open(servers("late", SLOW));
        answerTo("second");
        assertThat(claude.starts()).hasSize(2);
        assertThat(firstRequestWith("second").at("tools").line()).contains("mcp__late__echo");
    }

    @Test
    void firstRequestHasToolsOfSlowAgentServer() throws IOException {
        Files.writeString(
                directory.resolve("workspace/.mcp.json"), "{" + servers("late", SLOW) + "}");
        claude.open();

        answerTo("hello");

        assertThat(firstRequestWith("hello").at("tools").line()).contains("mcp__late__echo");
    }

    @Test
    void continuesDeferredCallOfSlowServer() throws IOException {
        open(servers("late", SLOW) + ",\"permissionMode\":\"ask\"");
        client().query("TOOL mcp__late__echo {\"word\":\"one\"}", ",\"turnId\":\"t1\"");
        client().nextOf("approval");
        client().send("{\"cmd\":\"rest\"}").nextOf("resting");

        client().send(
                        "{\"cmd\":\"continue\",\"sessionId\":\""
                                + TestBridge.SESSION
                                + "\",\"turnId\":\"t1\"}");
        claude.approve(client().nextOf("approval"), true, "");

        assertThat(client().untilDone())
                .anySatisfy(event -> assertThat(event.data()).contains("late heard one"));
    }

    @Test
    void startsTurnAfterTimeoutOfUnresponsiveServer() throws IOException {
        open(servers("mute", "never") + ",\"env\":{\"MCP_CONNECT_TIMEOUT_MS\":\"100\"}");

        var turn = client().query("hello").untilDone();

        assertThat(turn.getFirst().message().elements("mcp_servers").getFirst().text("status"))
                .isEqualTo("pending");
        assertThat(turn.get(turn.size() - 2).message().text("result")).isEqualTo("You said: hello");
    }
}
