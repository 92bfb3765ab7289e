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

/** Bridges on the real Claude Code CLI, which {@code ASH_TEST_CLAUDE} names, and a scripted API. */
final class RealClaude implements AutoCloseable {
    private final Path folder;
    private final String program;
    private final ScriptedApi api;
    private TestBridge bridge;
    private RawClient client;

    private RealClaude(Path folder, String program, ScriptedApi api) {
        this.folder = folder;
        this.program = program;
        this.api = api;
    }

    /** Skips the test where there is no such program, except in CI. */
    static RealClaude in(Path folder) throws IOException {
        var program = System.getenv().getOrDefault("ASH_TEST_CLAUDE", "");
        boolean there = !program.isEmpty() && Files.isExecutable(Path.of(program));
        var why = "ASH_TEST_CLAUDE must name the Claude Code program for these tests to run";
        if ("true".equals(System.getenv("CI"))) {
            assertThat(there).as(why).isTrue();
        }
        assumeTrue(there, why);
        TestBridge.environment(folder, Map.of());
        return new RealClaude(folder, program, ScriptedApi.start());
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

    /** Every start of the program is counted. */
    void open() throws IOException {
        var wrapper = folder.resolve("claude");
        Files.writeString(
                wrapper,
                "#!/bin/sh\necho $$ >> '" + folder + "/starts'\nexec '" + program + "' \"$@\"\n");
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
        bridge = TestBridge.open(folder, environment);
        client = bridge.client();
    }

    /** A new bridge on the same home and workspace, after the end of the one before. */
    void reopen() throws IOException {
        client.close();
        bridge.close();
        open();
    }

    void configure(String more) throws IOException {
        client.send(
                "{\"cmd\":\"configure\",\"sessionId\":\"" + TestBridge.SESSION + "\"" + more + "}");
    }

    /** The decision about the last question; {@code more} is appended to the command. */
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
        return Files.readAllLines(folder.resolve("starts"));
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
