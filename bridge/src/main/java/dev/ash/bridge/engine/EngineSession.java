package dev.ash.bridge.engine;

import dev.ash.protocol.bridge.BridgeCommand.Approve;

/**
 * One conversation with an engine. What runs a turn, {@link #start} and {@link #rest} are called by
 * one thread at a time, the others by any thread at any time.
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

    /**
     * Goes on with a turn whose question was laid aside on this home: the engine asks it again.
     * Otherwise like {@link #prompt}.
     */
    void continueTurn(Turn turn) throws EngineException;

    /** Ends this turn soon and no other; harmless when it does not run. */
    void interrupt(Turn turn);

    /** Answers a question of the engine; ignored where nobody waits for it. Does not block. */
    void answer(Approve decision);

    /**
     * Lays the one open question of this turn aside and returns its id; the turn is then over here
     * without an end that anybody was told of. The exception says why it cannot be, and the turn
     * goes on. Called by any thread while the turn runs.
     */
    String layAside(Turn turn) throws EngineException;

    /**
     * Ends the engine between turns, in order, so that it can be taken up again; the exception says
     * why not now. Called like {@link #prompt}, which opens it again.
     */
    void rest() throws EngineException;

    /** Ends the engine and every process it started. May be called twice. */
    @Override
    void close();
}
