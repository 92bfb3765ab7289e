package dev.ash.bridge;

import dev.ash.bridge.engine.EngineSink;
import dev.ash.bridge.engine.Turn;
import dev.ash.bridge.engine.TurnFailure;
import dev.ash.protocol.bridge.BridgeEvent;
import dev.ash.protocol.json.RawJson;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Sends the reports of engines as events; every turn has exactly one {@code done}. */
final class TurnEvents implements EngineSink {
    private final Outbox outbox;
    private final Supplier<String> sessionId;
    private final Timing timing;
    private volatile @Nullable Turn engineTurn;

    TurnEvents(Outbox outbox, Supplier<String> sessionId, Timing timing) {
        this.outbox = outbox;
        this.sessionId = sessionId;
        this.timing = timing;
    }

    @Override
    public void message(@Nullable Turn turn, RawJson data) {
        outbox.send(turn == null ? null : turn.id(), new BridgeEvent.Message(data));
        if (turn != null) {
            timing.message(turn);
        }
    }

    @Override
    public void turnStarted(Turn turn) {
        engineTurn = turn;
        timing.received(turn);
        outbox.send(turn.id(), new BridgeEvent.TurnStarted("engine"));
    }

    /** Returns the running turn that the engine started without a prompt, or null. */
    @Nullable Turn engineTurn() {
        var turn = engineTurn;
        return turn == null || turn.isEnded() ? null : turn;
    }

    @Override
    public void ask(@Nullable Turn turn, BridgeEvent.Approval question) {
        outbox.send(turn == null ? null : turn.id(), question);
    }

    @Override
    public void withdrawQuestion(@Nullable Turn turn, String questionId) {
        outbox.send(turn == null ? null : turn.id(), new BridgeEvent.ApprovalGone(questionId));
    }

    @Override
    public void turnEnded(Turn turn, @Nullable TurnFailure failure) {
        if (turn.end()) {
            done(turn.id(), failure);
            timing.ended(turn, sessionId.get());
        }
    }

    /** Responds to a command that is not a turn. */
    void done(@Nullable String turnId, @Nullable TurnFailure failure) {
        if (failure != null) {
            outbox.send(turnId, new BridgeEvent.Failed(failure.message(), failure.engineGone()));
        }
        outbox.send(turnId, new BridgeEvent.Done(sessionId.get()));
    }

    /** Responds to {@code steer}; the turn has the message if {@code reason} is null. */
    void steered(String id, @Nullable String reason) {
        outbox.send(null, new BridgeEvent.Steered(id, reason));
    }

    /** Responds to {@code rest}; ready if {@code reason} is null. */
    void resting(@Nullable String reason, @Nullable String deferredQuestion) {
        outbox.send(null, new BridgeEvent.Resting(reason == null, reason, deferredQuestion));
    }
}
