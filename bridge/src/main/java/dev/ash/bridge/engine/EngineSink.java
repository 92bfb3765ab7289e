package dev.ash.bridge.engine;

import dev.ash.protocol.bridge.BridgeEvent.Approval;
import dev.ash.protocol.json.RawJson;
import org.jspecify.annotations.Nullable;

/**
 * Receives the reports of an engine in order. Calls may block while the queue to the server is
 * full.
 */
public interface EngineSink {
    /** A message of the engine; {@code turn} is null between turns. */
    void message(@Nullable Turn turn, RawJson data);

    /** The engine started a turn without a prompt. */
    void turnStarted(Turn turn);

    /** The engine waits for an answer; see {@link EngineSession#answer}. */
    void ask(@Nullable Turn turn, Approval question);

    /** The engine no longer waits for an answer to this question. */
    void withdrawQuestion(@Nullable Turn turn, String questionId);

    /** The turn has ended, with a failure if it is not null. Only the first call has an effect. */
    void turnEnded(Turn turn, @Nullable TurnFailure failure);
}
