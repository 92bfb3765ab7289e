package dev.ash.bridge.engine;

import dev.ash.protocol.bridge.EngineConfig;
import java.util.Map;

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
}
