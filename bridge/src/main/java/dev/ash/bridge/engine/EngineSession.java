package dev.ash.bridge.engine;

/**
 * One conversation with an engine. {@link #prompt} and {@link #start} are called by one thread at a
 * time, the others by any thread at any time.
 */
public interface EngineSession extends AutoCloseable {
    /** Makes the engine ready on the earlier conversation, if there is one, and returns then. */
    void start() throws EngineException;

    /**
     * Runs one turn, reports its end to the sink and returns then; an interrupted turn ends like
     * any other. The exception means that it never began. After a failure the next prompt starts
     * the engine afresh on the same conversation.
     */
    void prompt(Turn turn) throws EngineException;

    /** Ends this turn soon and no other; harmless when it does not run. */
    void interrupt(Turn turn);

    /** Ends the engine and every process it started. May be called twice. */
    @Override
    void close();
}
