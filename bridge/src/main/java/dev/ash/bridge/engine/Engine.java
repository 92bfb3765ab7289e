package dev.ash.bridge.engine;

import dev.ash.protocol.engine.EngineProfile;
import java.time.Duration;
import java.util.Map;

/** The driver of an engine. */
public interface Engine {
    /** How long the first turn waits for MCP servers, so that the model gets their tools. */
    Duration MCP_STARTUP_TIMEOUT = Duration.ofSeconds(10);

    EngineProfile profile();

    /** Returns whether the program of the engine and a credential for its model are available. */
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

    /** Creates a session without starting the engine; slow and fallible work is done later. */
    EngineSession open(EngineSetup setup, EngineSink sink);
}
