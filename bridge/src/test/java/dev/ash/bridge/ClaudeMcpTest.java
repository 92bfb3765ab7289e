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

/** MCP servers and the real CLI, which by itself begins before a slow one has answered. */
class ClaudeMcpTest {
    /** More than the CLI waits by itself. */
    private static final String SLOW = "3";

    @TempDir private Path folder;
    private RealClaude claude;

    @BeforeEach
    void prepare() throws IOException {
        claude = RealClaude.in(folder);
        try (var script =
                Objects.requireNonNull(getClass().getResourceAsStream("/mcp-server.py"))) {
            Files.write(folder.resolve("mcp.py"), script.readAllBytes());
        }
    }

    @AfterEach
    void close() throws IOException {
        if (claude != null) {
            claude.close();
        }
    }

    private String servers(String name, String slowness) {
        return "\"mcpServers\":{\"%s\":{\"command\":\"python3\",\"args\":[\"%s\",\"%s\",\"%s\"]}}"
                .formatted(name, folder.resolve("mcp.py"), name, slowness);
    }

    private void open(String config) throws IOException {
        claude.open();
        claude.configure("," + config);
    }

    private RawClient client() {
        return claude.client();
    }

    private String said(String prompt) throws IOException {
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
    void toolsOfServersOfTheAgentAndOfTheSessionAnswer() throws IOException {
        Files.writeString(folder.resolve("workspace/.mcp.json"), "{" + servers("mine", "0") + "}");
        open(servers("extra", "0"));

        assertThat(said("TOOL mcp__mine__echo {\"word\":\"one\"}")).contains("mine heard one");
        assertThat(said("TOOL mcp__extra__echo {\"word\":\"two\"}")).contains("extra heard two");
    }

    @Test
    void theFirstRequestOfEachStartOffersTheToolsOfASlowServer() throws IOException {
        open(servers("late", SLOW));
        said("first");
        assertThat(firstRequestWith("first").at("tools").line()).contains("mcp__late__echo");

        client().send("{\"cmd\":\"shutdown\"}").close();
        claude.bridge().close();
        open(servers("late", SLOW));
        said("second");
        assertThat(claude.starts()).hasSize(2);
        assertThat(firstRequestWith("second").at("tools").line()).contains("mcp__late__echo");
    }

    @Test
    void theFirstRequestOffersTheToolsOfASlowServerOfTheAgent() throws IOException {
        Files.writeString(folder.resolve("workspace/.mcp.json"), "{" + servers("late", SLOW) + "}");
        claude.open();

        said("hello");

        assertThat(firstRequestWith("hello").at("tools").line()).contains("mcp__late__echo");
    }

    @Test
    void aCallOfASlowServersToolThatWasLaidAsideGoesOn() throws IOException {
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
    void aServerThatNeverAnswersHoldsNobodyUpForLong() throws IOException {
        open(servers("mute", "never") + ",\"env\":{\"MCP_CONNECT_TIMEOUT_MS\":\"100\"}");

        var turn = client().query("hello").untilDone();

        assertThat(turn.getFirst().message().elements("mcp_servers").getFirst().text("status"))
                .isEqualTo("pending");
        assertThat(turn.get(turn.size() - 2).message().text("result")).isEqualTo("You said: hello");
    }
}
