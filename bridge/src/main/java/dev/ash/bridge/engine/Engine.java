package dev.ash.bridge.engine;

/** A program that does the AI work, or stands in for one. */
public interface Engine {
    /** As it is named in {@code ASH_ENGINE} and in {@code ready}. */
    String name();

    /** Cheap: whatever is slow or can fail waits for the first prompt. */
    EngineSession open(EngineSetup setup, EngineSink sink);
}
