package dev.ash.bridge.engine;

import java.time.Duration;

/** A program that does the AI work, or stands in for one. */
public interface Engine {
    /** How long a first turn waits for MCP servers, so that the model is offered their tools. */
    Duration MCP_PATIENCE = Duration.ofSeconds(10);

    /** As it is named in {@code ASH_ENGINE} and in {@code ready}. */
    String name();

    /** Cheap: whatever is slow or can fail waits for the first prompt. */
    EngineSession open(EngineSetup setup, EngineSink sink);
}
