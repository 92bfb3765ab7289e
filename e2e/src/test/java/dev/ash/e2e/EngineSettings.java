package dev.ash.e2e;

import dev.ash.e2e.model.ScriptedModelApi;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
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

    /** Settings of the real engines with these names; the last one is the default. */
    static Map<String, String> real(List<String> names, ScriptedModelApi model) {
        var all = new HashMap<String, String>();
        names.forEach(name -> all.putAll(real(name, model)));
        return all;
    }

    /** Settings of the real engine with this name and of the API that it calls. */
    private static Map<String, String> real(String name, ScriptedModelApi model) {
        return switch (name) {
            case "claude" -> claude(NeedsClaude.Condition.program(), model);
            case "codex", "goose" -> with(name, openAi(model));
            case "opencode" -> with(name, Map.of("ANTHROPIC_BASE_URL", model.url()));
            case "gemini" ->
                    with(
                            name,
                            Map.of(
                                    "GEMINI_API_KEY",
                                    AshExtension.GEMINI_KEY,
                                    "GOOGLE_GEMINI_BASE_URL",
                                    model.url()));
            default -> throw new IllegalArgumentException(name);
        };
    }

    private static Map<String, String> with(String name, Map<String, String> api) {
        var settings = new HashMap<>(api);
        settings.put("ASH_ENGINE", name);
        settings.put(
                name.toUpperCase(Locale.ROOT) + "_EXECUTABLE",
                NeedsEngine.Condition.program(name).toString());
        return settings;
    }

    private static Map<String, String> openAi(ScriptedModelApi model) {
        return Map.of(
                "OPENAI_API_KEY", AshExtension.CODEX_KEY, "OPENAI_BASE_URL", model.url() + "/v1");
    }

    static Path script(TestDirectory directory, String resource) {
        return directory.program("claude", Resources.text("engines/" + resource));
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
