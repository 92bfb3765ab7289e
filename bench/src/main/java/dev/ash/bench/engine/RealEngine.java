package dev.ash.bench.engine;

import dev.ash.bench.server.ServerSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A real engine that this machine may have.
 *
 * @param variable the setting for the path of its program
 * @param directory the prefix of the directory in which {@code ./check} installs it
 * @param api the settings for its provider; {@code URL} stands for the address of the model API
 */
record RealEngine(String name, String variable, String directory, Map<String, String> api) {
    private static final String KEY = "key-of-nobody";
    private static final Map<String, String> ANTHROPIC =
            Map.of("ANTHROPIC_API_KEY", "sk-ant-" + KEY, "ANTHROPIC_BASE_URL", "URL");
    private static final Map<String, String> OPENAI =
            Map.of("OPENAI_API_KEY", "sk-" + KEY, "OPENAI_BASE_URL", "URL/v1");
    private static final Map<String, String> GOOGLE =
            Map.of("GEMINI_API_KEY", KEY, "GOOGLE_GEMINI_BASE_URL", "URL");

    static final List<RealEngine> ALL =
            List.of(
                    new RealEngine("claude", "CLAUDE_CODE_EXECUTABLE", "claude-code-", ANTHROPIC),
                    new RealEngine("codex", "CODEX_EXECUTABLE", "codex-", OPENAI),
                    new RealEngine("opencode", "OPENCODE_EXECUTABLE", "opencode-ai-", ANTHROPIC),
                    new RealEngine("goose", "GOOSE_EXECUTABLE", "goose-", OPENAI),
                    new RealEngine("gemini", "GEMINI_EXECUTABLE", "gemini-cli-", GOOGLE));

    /** Returns the settings of a server for this engine. */
    ServerSettings settings(Path program, String url) {
        var settings =
                ServerSettings.standard()
                        .with("ASH_ENGINE", name)
                        .with(variable, program.toString());
        for (var setting : api.entrySet()) {
            settings = settings.with(setting.getKey(), setting.getValue().replace("URL", url));
        }
        return settings;
    }

    /** Returns the program that a variable names, or that {@code ./check} has installed. */
    Optional<Path> find() throws IOException {
        var test = "ASH_TEST_" + name.toUpperCase(Locale.ROOT);
        var named =
                Stream.of(test, variable)
                        .map(System.getenv()::get)
                        .filter(path -> path != null && !path.isEmpty())
                        .map(Path::of)
                        .filter(Files::isExecutable)
                        .findFirst();
        return named.isPresent() ? named.map(Path::toAbsolutePath) : installed();
    }

    private Optional<Path> installed() throws IOException {
        var engines = Path.of(System.getProperty("user.home"), ".cache", "ash", "engines");
        if (!Files.isDirectory(engines)) {
            return Optional.empty();
        }
        try (var directories = Files.list(engines)) {
            return directories
                    .filter(path -> path.getFileName().toString().startsWith(directory))
                    .sorted(Comparator.reverseOrder())
                    .map(path -> path.resolve("node_modules/.bin").resolve(name))
                    .filter(Files::isExecutable)
                    .findFirst();
        }
    }
}
