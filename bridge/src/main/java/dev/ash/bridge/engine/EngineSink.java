package dev.ash.bridge.engine;

import dev.ash.protocol.bridge.BridgeEvent.Approval;
import dev.ash.protocol.json.RawJson;
import org.jspecify.annotations.Nullable;

/**
 * Where an engine reports, in the order in which things happened; calls may block while nobody
 * takes the events.
 */
public interface EngineSink {
    /** A message of the engine; {@code turn} is null between turns. */
    void message(@Nullable Turn turn, RawJson data);

    /** The engine began a turn that nobody prompted. */
    void turnStarted(Turn turn);

    /** The engine waits for an answer; see {@link EngineSession#answer}. */
    void ask(@Nullable Turn turn, Approval question);

    /** It does not wait any more, though nobody answered. */
    void askedNoMore(@Nullable Turn turn, String questionId);

    /** The turn is over, because of a failure if there is one. Only the first call counts. */
    void turnEnded(Turn turn, @Nullable Failure failure);
}
