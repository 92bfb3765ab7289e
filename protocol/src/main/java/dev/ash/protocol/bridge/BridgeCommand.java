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

    record Interrupt() implements BridgeCommand {}

    record Shutdown() implements BridgeCommand {}

    /** Whose session this is and how its engine runs; comes before the first query. */
    record Configure(String sessionId, EngineConfig config) implements BridgeCommand {}

    /** Run a shell command in the workspace; answered by one {@code exec_result} with this id. */
    record Exec(String id, String command, long timeoutMs) implements BridgeCommand {}

    /** A kind this build does not know; skipped, so that a newer server can talk to it. */
    record Unknown(String kind) implements BridgeCommand {}
}
