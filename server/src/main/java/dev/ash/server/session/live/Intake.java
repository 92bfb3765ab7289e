package dev.ash.server.session.live;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.TurnId;
import dev.ash.protocol.bridge.BridgeEvent;
import dev.ash.protocol.bridge.EventFrame;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.RawJson;
import dev.ash.sandbox.Sandbox;
import dev.ash.server.event.EngineMessage;
import dev.ash.server.event.EventType;
import dev.ash.server.event.LoggedEvent;
import dev.ash.server.event.NewEvent;
import dev.ash.server.event.NewEvent.BridgePosition;
import dev.ash.server.session.store.TurnStore;
import java.lang.System.Logger.Level;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides how to handle each event of one session's bridge. Attributes events to turns and matches
 * replies to their commands; the session applies the decision. Guarded by the lock of {@link
 * LiveTurns}.
 */
final class Intake {
    private static final System.Logger LOG = System.getLogger("ash.session");

    private final SessionId session;
    private final Sandbox sandbox;
    private final boolean isPlain;
    private final OpenTurns turns;
    private final PendingReplies replies;
    private final PlainResume plainResume;

    /** How to handle an event. */
    sealed interface Decision {
        /** Acknowledge it without storing it. */
        record Acknowledge(int bytes) implements Decision {}

        /** Publish a part of a message, which is not stored. */
        record Publish(LoggedEvent event) implements Decision {}

        record Append(NewEvent event) implements Decision {}

        record FailEngine(NewEvent event, String error) implements Decision {}

        record EndTurn(TurnId turn, TurnStore.Status status, List<NewEvent> events)
                implements Decision {}

        /** The engine has started a turn of its own. */
        record BeginTurn(TurnId turn) implements Decision {}

        record Ask(@Nullable TurnId turn, BridgeEvent.Approval question) implements Decision {}

        record Withdraw(String question) implements Decision {}

        /**
         * The reply to a {@code rest} command.
         *
         * @param isUnrequested whether the bridge rests, but no caller waits for the reply
         * @param isEarlier whether the bridge sent the reply to an earlier server
         */
        record Rest(BridgeEvent.Resting resting, boolean isUnrequested, boolean isEarlier)
                implements Decision {}
    }

    private static final Decision IGNORE = new Decision.Acknowledge(0);

    private long lastEarlier; // set before the reader starts

    Intake(
            SessionId session,
            Sandbox sandbox,
            OpenTurns turns,
            PendingReplies replies,
            PlainResume plainResume) {
        this.session = session;
        this.sandbox = sandbox;
        this.isPlain = sandbox.bridge().isPlain();
        this.turns = turns;
        this.replies = replies;
        this.plainResume = plainResume;
    }

    Decision decide(EventFrame frame, BridgePosition position) {
        return switch (frame.event()) {
            case BridgeEvent.Message(var data) -> message(frame, data, position);
            case BridgeEvent.Failed failed -> failed(frame, failed, position);
            case BridgeEvent.Done _ -> done(frame, position);
            case BridgeEvent.TurnStarted _ -> turnStarted(frame);
            case BridgeEvent.Approval question ->
                    new Decision.Ask(turns.find(frame.turnId()).orElse(null), question);
            case BridgeEvent.ApprovalGone(var question) -> new Decision.Withdraw(question);
            case BridgeEvent.ExecResult result -> {
                replies.exec(result);
                yield new Decision.Acknowledge(result.stdout().length() + result.stderr().length());
            }
            case BridgeEvent.Steered steered -> {
                replies.steered(steered);
                yield IGNORE;
            }
            case BridgeEvent.Resting resting -> rest(resting, position);
            case BridgeEvent.Attached _, BridgeEvent.Ready _, BridgeEvent.Unknown _ -> IGNORE;
        };
    }

    /** Records that the bridge sent the events up to this number to earlier servers. */
    void onAttached(long last) {
        lastEarlier = last;
    }

    private Decision rest(BridgeEvent.Resting resting, BridgePosition position) {
        boolean isEarlier = position.n() <= lastEarlier;
        boolean isReply = !isEarlier && replies.onResting(resting);
        return new Decision.Rest(resting, !isReply && resting.ready(), isEarlier);
    }

    private Decision message(EventFrame frame, RawJson data, BridgePosition position) {
        turns.onMessage();
        if (isPlain) {
            plainResume.onMessage();
        }
        var turn = turns.find(frame.turnId()).orElse(null);
        var message = EngineMessage.read(data).orElse(null);
        if (message == null) {
            return new Decision.Append(
                    NewEvent.of(session, turn, EventType.MESSAGE, data, position));
        }
        return message.isPartial()
                ? new Decision.Publish(new LoggedEvent(0, turn, EventType.MESSAGE, data, 0))
                : new Decision.Append(NewEvent.message(session, turn, message, position));
    }

    private Decision failed(EventFrame frame, BridgeEvent.Failed failure, BridgePosition position) {
        if (replies.onError(failure.error())) {
            LOG.log(
                    Level.WARNING,
                    "session {0}: the bridge cannot resume: {1}",
                    session,
                    failure.error());
            return IGNORE;
        }
        var error = describe(failure);
        boolean endsTurn = frame.turnId() == null && isPlain;
        var turn = endsTurn ? turns.closeByError() : turns.find(frame.turnId());
        var data = JsonWriter.object().put("error", error).end();
        var event = NewEvent.of(session, turn.orElse(null), EventType.ERROR, data, position);
        if (endsTurn && turn.isPresent()) {
            return new Decision.EndTurn(
                    turn.get(),
                    TurnStore.Status.ERROR,
                    List.of(event, NewEvent.done(session, turn.get())));
        }
        return failure.engineGone()
                ? new Decision.FailEngine(event, error)
                : new Decision.Append(event);
    }

    /** Adds the reason if the engine was killed for lack of memory or processes. */
    private String describe(BridgeEvent.Failed failure) {
        return failure.engineGone()
                ? sandbox.pressure()
                        .map(why -> failure.error() + ". " + why)
                        .orElse(failure.error())
                : failure.error();
    }

    private Decision done(EventFrame frame, BridgePosition position) {
        // A done without a turn replies to a resume, perhaps one of an earlier server.
        if (replies.onDone() || (frame.turnId() == null && !isPlain)) {
            return IGNORE;
        }
        // Close the turn before its end is committed: a client may send the next prompt as soon as
        // it receives the end.
        return turns.close(frame.turnId())
                .<Decision>map(turn -> end(turn, position))
                .orElse(IGNORE);
    }

    private Decision end(TurnId turn, BridgePosition position) {
        var data = NewEvent.done(session, turn).data();
        var event = NewEvent.of(session, turn, EventType.DONE, data, position);
        return new Decision.EndTurn(turn, TurnStore.Status.DONE, List.of(event));
    }

    private Decision turnStarted(EventFrame frame) {
        var turn = engineTurn(frame.turnId());
        return turns.reopen(turn) ? new Decision.BeginTurn(turn) : IGNORE;
    }

    private static TurnId engineTurn(@Nullable String named) {
        try {
            return named == null ? TurnId.random() : new TurnId(named);
        } catch (ApiException e) {
            return TurnId.random(); // ids from the bridge are untrusted
        }
    }
}
