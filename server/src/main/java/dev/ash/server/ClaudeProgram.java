package dev.ash.server;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Finds the Claude Code program, and whether there is a credential for it. */
final class ClaudeProgram {
    static final List<String> CREDENTIALS =
            List.of("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN");

    static Optional<Path> find(Optional<String> named, Map<String, String> environment) {
        var onPath =
                Arrays.stream(environment.getOrDefault("PATH", "").split(File.pathSeparator))
                        .filter(folder -> !folder.isEmpty())
                        .map(folder -> Path.of(folder, "claude"));
        return Stream.concat(named.map(Path::of).stream(), named.isPresent() ? Stream.of() : onPath)
                .filter(Files::isExecutable)
                .filter(Files::isRegularFile)
                .findFirst();
    }

    static boolean hasCredential(Map<String, String> environment) {
        return CREDENTIALS.stream().anyMatch(name -> !environment.getOrDefault(name, "").isBlank());
    }

    private ClaudeProgram() {}
}
