package dev.ash.bridge.engine;

import dev.ash.protocol.bridge.EngineConfig;
import dev.ash.protocol.bridge.TurnOptions;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The session parameters of an engine: configuration, directories, environment, conversation. */
public record EngineSetup(
        String sessionId,
        EngineConfig config,
        SandboxDirectories directories,
        Map<String, String> environment,
        Conversation conversation) {

    public EngineSetup {
        environment = Map.copyOf(environment);
    }

    /** Returns the model of a turn; null for the engine's default. */
    public @Nullable String model(TurnOptions options) {
        return options.model() != null ? options.model() : config.model();
    }
}
