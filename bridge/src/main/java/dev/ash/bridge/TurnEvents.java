package dev.ash.bridge;

import dev.ash.bridge.engine.EngineSink;
import dev.ash.bridge.engine.Failure;
import dev.ash.bridge.engine.Turn;
import dev.ash.protocol.bridge.BridgeEvent;
import dev.ash.protocol.json.RawJson;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What engines report, as events; every turn gets exactly one {@code done}. */
final class TurnEvents implements EngineSink {
    private final Outbox outbox;
    private final Supplier<String> sessionId;
    private final Timing timing;
    private volatile @Nullable Turn own;

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
        own = turn;
        timing.received(turn);
        outbox.send(turn.id(), new BridgeEvent.TurnStarted("engine"));
    }

    /** The turn that the engine began by itself and is in, if any. */
    @Nullable Turn ownTurn() {
        var turn = own;
        return turn == null || turn.ended() ? null : turn;
    }

    @Override
    public void ask(@Nullable Turn turn, BridgeEvent.Approval question) {
        outbox.send(turn == null ? null : turn.id(), question);
    }

    @Override
    public void askedNoMore(@Nullable Turn turn, String questionId) {
        outbox.send(turn == null ? null : turn.id(), new BridgeEvent.ApprovalGone(questionId));
    }

    @Override
    public void turnEnded(Turn turn, @Nullable Failure failure) {
        if (turn.end()) {
            done(turn.id(), failure);
            timing.ended(turn, sessionId.get());
        }
    }

    /** The answer to a command that is not a turn. */
    void done(@Nullable String turnId, @Nullable Failure failure) {
        if (failure != null) {
            outbox.send(turnId, new BridgeEvent.Failed(failure.message(), failure.engineGone()));
        }
        outbox.send(turnId, new BridgeEvent.Done(sessionId.get()));
    }

    /** The answer to {@code rest}; ready unless there is a reason against it. */
    void resting(@Nullable String why, @Nullable String laidAside) {
        outbox.send(null, new BridgeEvent.Resting(why == null, why, laidAside));
    }
}
