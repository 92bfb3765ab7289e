package dev.ash.bridge;

import dev.ash.bridge.claude.ClaudeEngine;
import dev.ash.bridge.claude.ClaudeProgram;
import dev.ash.bridge.codex.CodexEngine;
import dev.ash.bridge.codex.CodexProgram;
import dev.ash.bridge.demo.DemoEngine;
import dev.ash.bridge.engine.Engine;
import dev.ash.bridge.engine.EngineException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Which engine answers: the session's choice, else {@code ASH_ENGINE}, else what can work here. */
final class EngineChoice {
    static String name(@Nullable String configured, Map<String, String> environment) {
        var wanted = configured == null ? "" : configured;
        if (wanted.isEmpty()) {
            wanted = environment.getOrDefault("ASH_ENGINE", "");
        }
        return switch (wanted) {
            case "", "auto" -> automatic(environment);
            case "claude-code" -> ClaudeEngine.NAME;
            default -> wanted;
        };
    }

    private static String automatic(Map<String, String> environment) {
        if (ClaudeProgram.hasCredential(environment)
                && ClaudeProgram.find(environment).isPresent()) {
            return ClaudeEngine.NAME;
        }
        return CodexProgram.hasCredential(environment) && CodexProgram.find(environment).isPresent()
                ? CodexEngine.NAME
                : DemoEngine.NAME;
    }

    static Engine engine(String name) throws EngineException {
        return switch (name) {
            case ClaudeEngine.NAME -> new ClaudeEngine();
            case CodexEngine.NAME -> new CodexEngine();
            case DemoEngine.NAME -> new DemoEngine();
            default ->
                    throw new EngineException(
                            "engine '"
                                    + name
                                    + "' is not known; expected claude, codex, demo or auto");
        };
    }

    private EngineChoice() {}
}
