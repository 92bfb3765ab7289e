package dev.ash.protocol.bridge;

import dev.ash.protocol.json.RawJson;
import org.jspecify.annotations.Nullable;

/** What a server tells a bridge. */
public sealed interface BridgeCommand {
    /**
     * Run one turn. {@code prompt} is a JSON string or an array of content blocks. A bridge that
     * knows the {@code turnId} already ignores the command; a peer of the plain protocol sends
     * none.
     */
    record Query(RawJson prompt, String sessionId, @Nullable String turnId, TurnOptions options)
            implements BridgeCommand {}

    /** Open the engine on the earlier conversation of this session; answered by {@code done}. */
    record Resume(String sessionId) implements BridgeCommand {}

    /** Ends this turn, or the one that runs where none is named; harmless when it is over. */
    record Interrupt(@Nullable String turnId) implements BridgeCommand {}

    record Shutdown() implements BridgeCommand {}

    /** Whose session this is and how its engine runs; comes before the first query. */
    record Configure(String sessionId, EngineConfig config) implements BridgeCommand {}

    /** Run a shell command in the workspace; answered by one {@code exec_result} with this id. */
    record Exec(String id, String command, long timeoutMs) implements BridgeCommand {}

    /**
     * First command of a server that acknowledges: everything after event {@code after} is to be
     * sent, again if need be. Answered by {@code attached}.
     */
    record Attach(long after) implements BridgeCommand {}

    /** Events up to this one are stored; the bridge need not keep them any more. */
    record Ack(long n) implements BridgeCommand {}

    /**
     * The decision about a question. {@code input} replaces the tool's input; {@code message} says
     * why not. A bridge that does not wait for it, or has been told before, ignores it.
     */
    record Approve(String id, boolean allow, @Nullable RawJson input, @Nullable String message)
            implements BridgeCommand {}

    /**
     * Get ready to end: close the engine in order if nothing runs, laying a single open question
     * aside. Answered by {@code resting}.
     */
    record Rest() implements BridgeCommand {}

    /** Go on with a turn whose question an earlier bridge laid aside: the engine asks it again. */
    record Continue(String sessionId, String turnId, TurnOptions options)
            implements BridgeCommand {}

    /** A kind this build does not know; skipped, so that a newer server can talk to it. */
    record Unknown(String kind) implements BridgeCommand {}
}
