package dev.ash.server.approval;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.bridge.BridgeCommand;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/** Asks a question and waits for the answer: a live bridge, a terminal, or a pair run. */
public interface Asker {
    SessionId session();

    default AskerKind kind() {
        return AskerKind.ENGINE;
    }

    /** Returns the id of this launch of a bridge, as in the positions of its events. */
    String bridgeId();

    /** Sends an answer. May block; called on a thread of the session, one answer at a time. */
    void answer(BridgeCommand.Approve answer) throws IOException;

    /** Handles expiry or cancellation of the question, which a bridge treats as a rejection. */
    default void onUnanswered(BridgeCommand.Approve rejection) throws IOException {
        answer(rejection);
    }

    /** Returns how long the asker waits for an answer; empty for no limit. */
    default Optional<Duration> answerTimeout() {
        return Optional.empty();
    }
}
