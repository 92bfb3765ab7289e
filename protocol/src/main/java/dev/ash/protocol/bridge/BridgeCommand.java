package dev.ash.protocol.bridge;

import dev.ash.protocol.json.RawJson;
import org.jspecify.annotations.Nullable;

/** A command from a server to a bridge. */
public sealed interface BridgeCommand {
    /**
     * Runs one turn. {@code prompt} is a JSON string or an array of content blocks. A bridge
     * ignores a {@code turnId} that it has already received; clients of the plain protocol send
     * none.
     */
    record Query(RawJson prompt, String sessionId, @Nullable String turnId, TurnOptions options)
            implements BridgeCommand {}

    /** Opens the engine with the earlier conversation of this session; answered by {@code done}. */
    record Resume(String sessionId) implements BridgeCommand {}

    /** Starts the engine, so that it is ready for the first prompt; not answered. */
    record Start() implements BridgeCommand {}

    /** Interrupts this turn, or the running one if it is null; ignored if the turn has ended. */
    record Interrupt(@Nullable String turnId) implements BridgeCommand {}

    record Shutdown() implements BridgeCommand {}

    /** Sets the session and the configuration of its engine; sent before the first query. */
    record Configure(String sessionId, EngineConfig config) implements BridgeCommand {}

    /** Runs a shell command in the workspace; answered by one {@code exec_result} with this id. */
    record Exec(String id, String command, long timeoutMs) implements BridgeCommand {}

    /**
     * First command of a server that acknowledges events: requests all events after event {@code
     * after}, including those already sent. Answered by {@code attached}.
     */
    record Attach(long after) implements BridgeCommand {}

    /** Acknowledges all events up to this one: they are stored, and the bridge can drop them. */
    record Ack(long n) implements BridgeCommand {}

    /**
     * The decision about a question. {@code input} replaces the tool's input; {@code message} is
     * the reason of a rejection. Ignored if the question is no longer open.
     */
    record Approve(String id, boolean allow, @Nullable RawJson input, @Nullable String message)
            implements BridgeCommand {}

    /**
     * Prepares for shutdown: closes the engine if it is idle, or defers a single open question.
     * Answered by {@code resting}.
     */
    record Rest() implements BridgeCommand {}

    /** Continues a turn whose question an earlier bridge deferred: the engine asks it again. */
    record Continue(String sessionId, String turnId, TurnOptions options)
            implements BridgeCommand {}

    /**
     * Adds a message to the running turn; {@code prompt} is as in {@link Query}. Answered by one
     * {@code steered} with this id.
     */
    record Steer(String id, String turnId, RawJson prompt) implements BridgeCommand {}

    /** An unknown command; ignored, so that newer servers remain compatible. */
    record Unknown(String kind) implements BridgeCommand {}
}
