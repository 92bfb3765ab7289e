package dev.ash.bench.turn;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Optional;
import java.util.stream.Stream;

/** Finds the Claude Code program of this machine. */
final class ClaudeProgram {
    static final String MISSING =
            "the Claude Code program is missing; set CLAUDE_CODE_EXECUTABLE, or run ./check, which"
                    + " installs it";

    static Optional<Path> find() throws IOException {
        var named =
                Stream.of("ASH_TEST_CLAUDE", "CLAUDE_CODE_EXECUTABLE")
                        .map(System.getenv()::get)
                        .filter(path -> path != null && !path.isEmpty())
                        .map(Path::of)
                        .filter(Files::isExecutable)
                        .findFirst();
        return named.isPresent() ? named.map(Path::toAbsolutePath) : installed();
    }

    /** Returns the latest program that {@code ./check} has installed. */
    private static Optional<Path> installed() throws IOException {
        var engines = Path.of(System.getProperty("user.home"), ".cache", "ash", "engines");
        if (!Files.isDirectory(engines)) {
            return Optional.empty();
        }
        try (var directories = Files.list(engines)) {
            return directories
                    .filter(path -> path.getFileName().toString().startsWith("claude-code-"))
                    .sorted(Comparator.reverseOrder())
                    .map(path -> path.resolve("node_modules/.bin/claude"))
                    .filter(Files::isExecutable)
                    .findFirst();
        }
    }

    private ClaudeProgram() {}
}
