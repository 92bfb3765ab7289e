package dev.ash.bridge.engine;

import dev.ash.protocol.bridge.BridgeCommand.Approve;
import dev.ash.protocol.json.RawJson;

/**
 * A conversation with an engine. The methods that run a turn, {@link #start} and {@link #rest} are
 * called by one thread at a time; all others by any thread at any time.
 */
public interface EngineSession extends AutoCloseable {
    /** Starts the engine with the earlier conversation, if any, and waits until it is ready. */
    void start() throws EngineException;

    /**
     * Runs one turn, reports its end to the sink and returns; an interrupted turn ends like any
     * other. Throws if the turn did not start. After a failure the next prompt restarts the engine
     * with the same conversation.
     */
    void prompt(Turn turn) throws EngineException;

    /**
     * Continues a turn whose question was deferred in this home: the engine asks it again.
     * Otherwise like {@link #prompt}.
     */
    void continueTurn(Turn turn) throws EngineException;

    /** Interrupts this turn; ignored if it is not running. */
    void interrupt(Turn turn);

    /**
     * Adds a message to this turn while it runs, and waits until the engine has it. Throws if that
     * is not possible; the message can then be a prompt of its own.
     */
    default void steer(Turn turn, RawJson prompt) throws EngineException {
        throw new EngineException(
                "The engine accepts no messages during a turn; send the message after it");
    }

    /** Answers a question of the engine; ignored if the question is not open. Does not block. */
    void answer(Approve decision);

    /**
     * Defers the only open question of this turn and returns its id; the turn then ends in this
     * bridge without a report. Throws if that is not possible, and the turn continues. Called by
     * any thread during the turn.
     */
    String deferQuestion(Turn turn) throws EngineException;

    /**
     * Closes the idle engine in order, so that the conversation can be resumed; throws if it is not
     * idle. The next {@link #prompt} opens it again.
     */
    void rest() throws EngineException;

    /** Terminates the engine and all processes it started. Idempotent. */
    @Override
    void close();
}
