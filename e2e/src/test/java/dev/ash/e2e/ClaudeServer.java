package dev.ash.e2e;

import dev.ash.e2e.model.ScriptedModelApi;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.Map;

/** How to start a server whose sessions run the real CLI against the scripted API. */
public final class ClaudeServer {
    public static AshServer start(ScriptedModelApi api) {
        return AshServer.start(environment(NeedsClaude.Condition.program(), api));
    }

    public static AshServer start(ScriptedModelApi api, Map<String, String> more) {
        var environment = environment(NeedsClaude.Condition.program(), api);
        environment.putAll(more);
        return AshServer.start(environment);
    }

    /** The CLI with a copy of its stdout in each sandbox's home. */
    public static AshServer startWithTee(ScriptedModelApi api) {
        var folder = TestFolder.create();
        return AshServer.start(environment(tee(folder), api), folder);
    }

    /** With a small program that passes for the CLI and needs no model. */
    public static AshServer startFake() throws IOException {
        var folder = TestFolder.create();
        var program =
                folder.write("bin", Map.of("claude", Resources.text("engines/fake_claude.py")))
                        .resolve("claude");
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
        return AshServer.start(
                Map.of("ASH_ENGINE", "claude", "CLAUDE_CODE_EXECUTABLE", program.toString()),
                folder);
    }

    public static Map<String, String> environment(Path program, ScriptedModelApi api) {
        var environment = new HashMap<String, String>();
        environment.put("ASH_ENGINE", "claude");
        environment.put("CLAUDE_CODE_EXECUTABLE", program.toString());
        environment.put("ANTHROPIC_BASE_URL", api.url());
        return environment;
    }

    private static Path tee(TestFolder folder) {
        // A script comes into the sandbox with the package it belongs to.
        var program =
                folder.write(
                                "engine",
                                Map.of(
                                        "package.json",
                                        "{\"name\":\"tee\"}",
                                        "claude",
                                        Resources.text("engines/tee_claude.sh")))
                        .resolve("claude");
        var real = program.resolveSibling("claude-real");
        try {
            Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
            Files.copy(NeedsClaude.Condition.program(), real);
            Files.setPosixFilePermissions(real, PosixFilePermissions.fromString("rwxr-xr-x"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return program;
    }

    private ClaudeServer() {}
}
