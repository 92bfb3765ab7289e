package dev.ash.bridge.claude;

import dev.ash.bridge.engine.EngineException;
import dev.ash.bridge.engine.Programs;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** Where the CLI is, and whether it has a credential to work with. */
public final class ClaudeProgram {
    public static final String VARIABLE = "CLAUDE_CODE_EXECUTABLE";

    public static Optional<Path> find(Map<String, String> environment) {
        return Programs.find(environment, VARIABLE, ClaudeEngine.NAME);
    }

    static Path require(Map<String, String> environment) throws EngineException {
        return Programs.require(
                environment,
                VARIABLE,
                ClaudeEngine.NAME,
                "Claude Code",
                "@anthropic-ai/claude-code");
    }

    public static boolean hasCredential(Map<String, String> environment) {
        return isSet(environment, "ANTHROPIC_API_KEY")
                || isSet(environment, "ANTHROPIC_AUTH_TOKEN")
                || isSet(environment, "CLAUDE_CODE_OAUTH_TOKEN");
    }

    private static boolean isSet(Map<String, String> environment, String name) {
        return !environment.getOrDefault(name, "").isEmpty();
    }

    private ClaudeProgram() {}
}
