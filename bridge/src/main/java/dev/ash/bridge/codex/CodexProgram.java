package dev.ash.bridge.codex;

import dev.ash.bridge.engine.EngineException;
import dev.ash.bridge.engine.Programs;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** Where the CLI is, and whether it has a credential to work with. */
public final class CodexProgram {
    public static final String VARIABLE = "CODEX_EXECUTABLE";

    public static Optional<Path> find(Map<String, String> environment) {
        return Programs.find(environment, VARIABLE, CodexEngine.NAME);
    }

    static Path require(Map<String, String> environment) throws EngineException {
        return Programs.require(environment, VARIABLE, CodexEngine.NAME, "Codex", "@openai/codex");
    }

    public static boolean hasCredential(Map<String, String> environment) {
        return !ModelEndpoint.key(environment).isEmpty();
    }

    private CodexProgram() {}
}
