package dev.ash.bridge.engine;

import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.RawJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** The agent's instructions, and whether they replace the engine's own or are appended to them. */
public record SystemPrompt(String text, Mode mode) {
    public enum Mode {
        APPEND,
        REPLACE
    }

    /** Returns the session's prompt, else the agent's {@code CLAUDE.md}, else empty. */
    public static Optional<SystemPrompt> of(EngineSetup setup) throws EngineException {
        var text = setup.config().systemPrompt();
        if (text == null) {
            text = instructions(setup.directories().agent());
        }
        return text.isBlank() ? Optional.empty() : Optional.of(new SystemPrompt(text, mode(setup)));
    }

    private static String instructions(Path agent) throws EngineException {
        var file = agent.resolve("CLAUDE.md");
        try {
            return Files.exists(file) ? Files.readString(file) : "";
        } catch (IOException e) {
            throw new EngineException(
                    "Cannot read the agent's CLAUDE.md as UTF-8 text: " + e.getMessage());
        }
    }

    private static Mode mode(EngineSetup setup) throws EngineException {
        var configured = setup.config().systemPromptMode();
        if (configured == null) {
            configured = agentMode(setup.directories().agent());
        }
        return switch (configured) {
            case "replace" -> Mode.REPLACE;
            case "append" -> Mode.APPEND;
            default ->
                    throw new EngineException(
                            "unknown systemPrompt mode '"
                                    + configured
                                    + "'; expected append or replace");
        };
    }

    private static String agentMode(Path agent) throws EngineException {
        var file = agent.resolve(".ash/agent.json");
        try {
            return Files.exists(file)
                    ? JsonObject.parse(new RawJson(Files.readAllBytes(file)))
                            .string("systemPrompt")
                            .orElse("append")
                    : "append";
        } catch (IOException e) {
            throw new EngineException(
                    "The agent's .ash/agent.json is not a JSON object: " + e.getMessage());
        }
    }
}
