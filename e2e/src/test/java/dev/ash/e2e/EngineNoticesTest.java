package dev.ash.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Checks that {@code ash chat} shows notices of the real CLI before the turn fails. */
@NeedsClaude
@TestMethodOrder(OrderAnnotation.class)
class EngineNoticesTest {
    /** Without notices, the turn would fail only after minutes of retries. */
    private static final Duration LIMIT = Duration.ofSeconds(20);

    private static final String BROKEN_SERVER =
            "{\"mcpServers\":{\"broken\":{\"command\":\"/bin/false\"}}}";

    @RegisterExtension
    static final AshExtension ash =
            AshExtension.claude()
                    .agent("hello")
                    .agent("broken", Map.of("CLAUDE.md", "Hello.\n", ".mcp.json", BROKEN_SERVER));

    @Test
    void showsRejectedKey() throws Exception {
        assertThat(firstNotice(session("hello"), "STATUS:401"))
                .startsWith("! The model API rejects the key (HTTP 401); the engine retries")
                .contains("ash credentials add", "--credential ID");
    }

    @Test
    void showsFailedMcpServer() throws Exception {
        assertThat(firstNotice(session("broken"), "HOLD"))
                .startsWith("! The MCP server broken failed to start; its tools are missing.")
                .contains(".mcp.json");
        ash.model().release();
    }

    @Test
    void showsBlockedHost() throws Exception {
        var command = "{\"command\":\"curl -s -m 10 http://blocked.example/; true\"}";

        assertThat(firstNotice(session("hello"), "TOOL:Bash " + command + "\nHOLD"))
                .startsWith("! The sandbox may not reach blocked.example.")
                .contains("--allow blocked.example");
        ash.model().release();
    }

    /** Runs last because it closes the model API. */
    @Test
    @Order(Integer.MAX_VALUE)
    void showsUnreachableApi() throws Exception {
        var session = session("hello");
        ash.model().close();

        assertThat(firstNotice(session, "SAY:anything"))
                .startsWith("! The model API cannot be reached (HTTP 502); the engine retries")
                .contains("ANTHROPIC_BASE_URL");
    }

    /**
     * Returns a session whose engine runs already: its start time on a busy machine is not
     * measured.
     */
    private static TestSession session(String agent) {
        var session = ash.session(agent);
        session.ask("SAY:ready");
        return session;
    }

    /**
     * Returns the first line that starts with "!"; asserts that it is shown in time after the
     * prompt was accepted.
     */
    private static String firstNotice(TestSession session, String prompt) throws Exception {
        var command = new ArrayList<>(ServerLaunch.cli());
        command.addAll(List.of("chat", "-s", session.id(), prompt));
        var builder = new ProcessBuilder(command).redirectOutput(ProcessBuilder.Redirect.DISCARD);
        var env = builder.environment();
        env.keySet().retainAll(List.of("PATH", "LANG"));
        env.put("HOME", ash.directory().path().toString());
        env.put("ASH_SERVER_URL", ash.api().base());
        env.put("ASH_API_KEY", ash.api().key());
        var started = Instant.now();
        var chat = builder.start();
        Thread.ofVirtual().start(() -> killAfterOneMinute(chat));
        try (var err = new BufferedReader(new InputStreamReader(chat.getErrorStream(), UTF_8))) {
            chat.getOutputStream().close();
            var line = nextNotice(err);
            var shown = Instant.now();
            var elapsed = Duration.between(acceptedAt(session), shown);
            System.out.printf(
                    "%d ms after the prompt, %d ms after the start of ash chat: %s%n",
                    elapsed.toMillis(), Duration.between(started, shown).toMillis(), line);
            assertThat(elapsed).isLessThan(LIMIT);
            return line;
        } finally {
            chat.destroy();
            assertThat(chat.waitFor(60, TimeUnit.SECONDS)).isTrue();
        }
    }

    /** Kills the command if it shows no notice, so that reading its output ends. */
    private static void killAfterOneMinute(Process chat) {
        try {
            if (!chat.waitFor(1, TimeUnit.MINUTES)) {
                chat.destroyForcibly();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static String nextNotice(BufferedReader err) throws IOException {
        var seen = new ArrayList<String>();
        for (var line = err.readLine(); line != null; line = err.readLine()) {
            if (line.startsWith("! ")) {
                return line;
            }
            seen.add(line);
        }
        throw new AssertionError("no notice, only " + seen);
    }

    private static Instant acceptedAt(TestSession session) {
        var rows = ash.api().get(session.path() + "/messages").expect(200).at("/messages");
        var prompts = rows.valueStream().filter(row -> row.path("role").asString().equals("user"));
        return Instant.parse(prompts.toList().getLast().path("createdAt").asString());
    }
}
