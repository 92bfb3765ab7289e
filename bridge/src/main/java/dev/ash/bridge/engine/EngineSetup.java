package dev.ash.bridge.engine;

import dev.ash.protocol.bridge.EngineConfig;
import dev.ash.protocol.bridge.TurnOptions;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** All that an engine needs to know about the session it works for. */
public record EngineSetup(
        String sessionId,
        EngineConfig config,
        SandboxFolders folders,
        Map<String, String> environment,
        Conversation conversation) {

    public EngineSetup {
        environment = Map.copyOf(environment);
    }

    /** The model of a turn; null for the engine's default. */
    public @Nullable String model(TurnOptions options) {
        return options.model() != null ? options.model() : config.model();
    }
}
