package dev.ash.e2e;

import dev.ash.e2e.model.ScriptedModelApi;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;

/** Settings and programs of the engines that the tests run. */
final class EngineSettings {
    static Map<String, String> claude(Path program, ScriptedModelApi model) {
        return Map.of(
                "ASH_ENGINE",
                "claude",
                "CLAUDE_CODE_EXECUTABLE",
                program.toString(),
                "ANTHROPIC_BASE_URL",
                model.url());
    }

    static Map<String, String> codex(ScriptedModelApi model) {
        return Map.of(
                "ASH_ENGINE",
                "codex",
                "CODEX_EXECUTABLE",
                NeedsCodex.Condition.program().toString(),
                "OPENAI_API_KEY",
                AshExtension.CODEX_KEY,
                "OPENAI_BASE_URL",
                model.url() + "/v1");
    }

    static Path script(TestDirectory directory, String resource) throws IOException {
        var files = Map.of("claude", Resources.text("engines/" + resource));
        return executable(directory.write("bin", files).resolve("claude"));
    }

    /**
     * Writes a wrapper that copies the CLI's stdout. The package.json makes the sandbox mount the
     * directory of the script.
     */
    static Path tee(TestDirectory directory) throws IOException {
        var files =
                Map.of(
                        "package.json",
                        "{\"name\":\"tee\"}",
                        "claude",
                        Resources.text("engines/tee_claude.sh"));
        var program = executable(directory.write("engine", files).resolve("claude"));
        var real = program.resolveSibling("claude-real");
        Files.copy(NeedsClaude.Condition.program(), real);
        executable(real);
        return program;
    }

    private static Path executable(Path program) throws IOException {
        return Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private EngineSettings() {}
}
