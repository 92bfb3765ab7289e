package dev.ash.bridge.engine;

import dev.ash.protocol.engine.EngineProfile;
import java.time.Duration;
import java.util.Map;

/** Drives an engine: a program that does the AI work, or the demo that stands in for one. */
public interface Engine {
    /** How long a first turn waits for MCP servers, so that the model is offered their tools. */
    Duration MCP_PATIENCE = Duration.ofSeconds(10);

    EngineProfile profile();

    /** Whether its program and a credential for its model are there. */
    default boolean canRun(Map<String, String> environment) {
        return hasCredential(environment)
                && profile()
                        .program()
                        .filter(program -> Programs.find(environment, program).isPresent())
                        .isPresent();
    }

    default boolean hasCredential(Map<String, String> environment) {
        return profile().provider().hasCredential(environment);
    }

    /** Cheap: whatever is slow or can fail waits for the first prompt. */
    EngineSession open(EngineSetup setup, EngineSink sink);
}
