package dev.ash.server.approval;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.bridge.BridgeCommand;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/** Who asks and waits: a live bridge, a terminal, or a run of a pair. */
public interface Asker {
    SessionId session();

    default AskerKind kind() {
        return AskerKind.ENGINE;
    }

    /** Which launch of a bridge this is; the same as in the places of its events. */
    String bridgeId();

    /** May block; called on a thread of the session's own, one answer at a time. */
    void answer(BridgeCommand.Approve answer) throws IOException;

    /** The question expired or was cancelled, which to a bridge is a refusal. */
    default void unanswered(BridgeCommand.Approve refusal) throws IOException {
        answer(refusal);
    }

    /** How long it waits for an answer; empty for as long as questions are kept. */
    default Optional<Duration> patience() {
        return Optional.empty();
    }
}
