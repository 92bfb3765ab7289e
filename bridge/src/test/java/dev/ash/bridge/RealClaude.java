package dev.ash.bridge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.ash.protocol.json.RawJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A bridge with the real Claude Code CLI from {@code ASH_TEST_CLAUDE}, and a scripted API. */
final class RealClaude implements AutoCloseable {
    private final Path directory;
    private final String program;
    private final ScriptedApi api;
    private TestBridge bridge;
    private RawClient client;

    private RealClaude(Path directory, String program, ScriptedApi api) {
        this.directory = directory;
        this.program = program;
        this.api = api;
    }

    /** Skips the test if the program does not exist, except in CI. */
    static RealClaude in(Path directory) throws IOException {
        var program = System.getenv().getOrDefault("ASH_TEST_CLAUDE", "");
        boolean isExecutable = !program.isEmpty() && Files.isExecutable(Path.of(program));
        var reason =
                "set ASH_TEST_CLAUDE to the path of the Claude Code program to run these tests";
        if ("true".equals(System.getenv("CI"))) {
            assertThat(isExecutable).as(reason).isTrue();
        }
        assumeTrue(isExecutable, reason);
        TestBridge.environment(directory, Map.of());
        return new RealClaude(directory, program, ScriptedApi.start());
    }

    String program() {
        return program;
    }

    ScriptedApi api() {
        return api;
    }

    TestBridge bridge() {
        return bridge;
    }

    RawClient client() {
        return client;
    }

    /** Opens a bridge with a wrapper that counts the starts of the program. */
    void open() throws IOException {
        var wrapper = directory.resolve("claude");
        Files.writeString(
                wrapper,
                "#!/bin/sh\necho $$ >> '"
                        + directory
                        + "/starts'\nexec '"
                        + program
                        + "' \"$@\"\n");
        open(wrapper);
    }

    void open(Path wrapper) throws IOException {
        Files.setPosixFilePermissions(wrapper, PosixFilePermissions.fromString("rwxr-xr-x"));
        var environment = new HashMap<String, String>();
        environment.put("ASH_ENGINE", "auto");
        environment.put("CLAUDE_CODE_EXECUTABLE", wrapper.toString());
        environment.put("ANTHROPIC_API_KEY", "dummy");
        environment.put("ANTHROPIC_BASE_URL", api.url());
        environment.put("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1");
        environment.put("DISABLE_TELEMETRY", "1");
        environment.put("DISABLE_AUTOUPDATER", "1");
        environment.put("CLAUDE_CODE_ENTRYPOINT", "sdk-java");
        environment.put("IS_SANDBOX", "1");
        bridge = TestBridge.open(directory, environment);
        client = bridge.client();
    }

    /** Closes the bridge and opens a new one with the same home and workspace. */
    void reopen() throws IOException {
        client.close();
        bridge.close();
        open();
    }

    void configure(String more) throws IOException {
        client.send(
                "{\"cmd\":\"configure\",\"sessionId\":\"" + TestBridge.SESSION + "\"" + more + "}");
    }

    /** Sends the decision about a question; {@code more} is appended to the command. */
    void approve(RawClient.Event question, boolean allow, String more) throws IOException {
        client.send(
                "{\"cmd\":\"approve\",\"id\":"
                        + RawJson.string(question.text("id"))
                        + ",\"allow\":"
                        + allow
                        + more
                        + "}");
    }

    List<String> starts() throws IOException {
        return Files.readAllLines(directory.resolve("starts"));
    }

    @Override
    public void close() throws IOException {
        if (client != null) {
            client.close();
            bridge.close();
        }
        api.close();
    }
}
