package dev.ash.server;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.server.session.Engines.Found;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The programs of engines that this machine has. */
record EnginePrograms(Optional<Path> claude, Optional<Path> codex) {
    private static final List<String> ANTHROPIC =
            List.of("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN");
    private static final List<String> OPENAI = List.of("OPENAI_API_KEY");

    static EnginePrograms find(ServerConfig config) {
        var environment = config.environment();
        return new EnginePrograms(
                find(
                        config.claudeProgram(),
                        "CLAUDE_CODE_EXECUTABLE",
                        "claude",
                        "@anthropic-ai/claude-code",
                        environment),
                find(
                                config.codexProgram(),
                                "CODEX_EXECUTABLE",
                                "codex",
                                "@openai/codex",
                                environment)
                        .map(NativeCodex::of));
    }

    Found claudeFound(Map<String, String> environment) {
        return new Found(claude.isPresent(), anySet(ANTHROPIC, environment));
    }

    Found codexFound(Map<String, String> environment) {
        return new Found(codex.isPresent(), anySet(OPENAI, environment));
    }

    private static boolean anySet(List<String> names, Map<String, String> environment) {
        return names.stream().anyMatch(name -> !environment.getOrDefault(name, "").isBlank());
    }

    private static Optional<Path> find(
            Optional<String> named,
            String variable,
            String program,
            String npm,
            Map<String, String> environment) {
        if (named.isPresent()) {
            return Optional.of(require(named.get(), variable, npm));
        }
        return Arrays.stream(environment.getOrDefault("PATH", "").split(File.pathSeparator))
                .filter(folder -> !folder.isEmpty())
                .map(folder -> Path.of(folder, program))
                .filter(EnginePrograms::isProgram)
                .findFirst();
    }

    /** Who names a program wants that one, and not the demo in its place. */
    private static Path require(String named, String variable, String npm) {
        var program = Path.of(named);
        if (!isProgram(program)) {
            throw new ApiException(
                    ErrorCode.VALIDATION_FAILED,
                    "%s names %s, which is not a program that can be run; install it with 'npm install -g %s', or unset the variable"
                            .formatted(variable, named, npm));
        }
        return program;
    }

    static boolean isProgram(Path path) {
        return Files.isExecutable(path) && Files.isRegularFile(path);
    }
}
