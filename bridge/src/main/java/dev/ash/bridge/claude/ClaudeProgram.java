package dev.ash.bridge.claude;

import dev.ash.bridge.engine.EngineException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** Where the CLI is, and whether it has a credential to work with. */
public final class ClaudeProgram {
    public static final String VARIABLE = "CLAUDE_CODE_EXECUTABLE";

    private static final String INSTALL =
            "install it with 'npm install -g @anthropic-ai/claude-code', or set "
                    + VARIABLE
                    + " to the path of the program";

    public static Optional<Path> find(Map<String, String> environment) {
        var named = environment.getOrDefault(VARIABLE, "");
        if (!named.isEmpty()) {
            return executable(named);
        }
        for (var folder : environment.getOrDefault("PATH", "").split(":", -1)) {
            var program = executable(folder + "/claude");
            if (!folder.isEmpty() && program.isPresent()) {
                return program;
            }
        }
        return Optional.empty();
    }

    static Path require(Map<String, String> environment) throws EngineException {
        var program = find(environment);
        if (program.isPresent()) {
            return program.get();
        }
        var named = environment.getOrDefault(VARIABLE, "");
        throw new EngineException(
                named.isEmpty()
                        ? "The engine claude needs the Claude Code program, and there is no 'claude' on"
                                + " the PATH; "
                                + INSTALL
                        : VARIABLE
                                + " names "
                                + named
                                + ", which is not a program that can be run here; "
                                + INSTALL);
    }

    public static boolean hasCredential(Map<String, String> environment) {
        return isSet(environment, "ANTHROPIC_API_KEY")
                || isSet(environment, "ANTHROPIC_AUTH_TOKEN")
                || isSet(environment, "CLAUDE_CODE_OAUTH_TOKEN");
    }

    private static boolean isSet(Map<String, String> environment, String name) {
        return !environment.getOrDefault(name, "").isEmpty();
    }

    private static Optional<Path> executable(String path) {
        try {
            var program = Path.of(path);
            return Files.isRegularFile(program) && Files.isExecutable(program)
                    ? Optional.of(program)
                    : Optional.empty();
        } catch (InvalidPathException e) {
            return Optional.empty();
        }
    }

    private ClaudeProgram() {}
}
