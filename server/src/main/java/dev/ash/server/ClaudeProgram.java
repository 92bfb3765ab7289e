package dev.ash.server;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Finds the Claude Code program, and whether there is a credential for it. */
final class ClaudeProgram {
    static final List<String> CREDENTIALS =
            List.of("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN");

    static Optional<Path> find(Optional<String> named, Map<String, String> environment) {
        if (named.isPresent()) {
            return Optional.of(require(named.get()));
        }
        return Arrays.stream(environment.getOrDefault("PATH", "").split(File.pathSeparator))
                .filter(folder -> !folder.isEmpty())
                .map(folder -> Path.of(folder, "claude"))
                .filter(ClaudeProgram::isProgram)
                .findFirst();
    }

    /** Who names a program wants that one, and not the demo in its place. */
    private static Path require(String named) {
        var program = Path.of(named);
        if (!isProgram(program)) {
            throw new ApiException(
                    ErrorCode.VALIDATION_FAILED,
                    "CLAUDE_CODE_EXECUTABLE names %s, which is not a program that can be run; install"
                                    .formatted(named)
                            + " it with 'npm install -g @anthropic-ai/claude-code', or unset the"
                            + " variable");
        }
        return program;
    }

    private static boolean isProgram(Path path) {
        return Files.isExecutable(path) && Files.isRegularFile(path);
    }

    static boolean hasCredential(Map<String, String> environment) {
        return CREDENTIALS.stream().anyMatch(name -> !environment.getOrDefault(name, "").isBlank());
    }

    private ClaudeProgram() {}
}
