package dev.ash.server.session;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.SessionStatus;
import dev.ash.protocol.TurnId;
import dev.ash.protocol.bridge.BridgeEvent;
import dev.ash.protocol.bridge.EventFrame;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.RawJson;
import dev.ash.server.event.EngineMessage;
import dev.ash.server.event.EventType;
import dev.ash.server.event.LoggedEvent;
import dev.ash.server.event.NewEvent;
import dev.ash.server.event.NewEvent.BridgePlace;
import dev.ash.server.event.SessionEvents;
import dev.ash.server.store.KillPoint;
import java.lang.System.Logger.Level;
import java.util.List;

/**
 * Puts what the bridge of one session says into the log, in its order, on the thread that reads it.
 * What is stored is acknowledged; what came before is skipped.
 */
final class Intake {
    private static final System.Logger LOG = System.getLogger("ash.session");

    private final LiveSession live;
    private final SessionCore core;
    private final OpenTurns turns;
    private final PendingAnswers answers;
    private final PlainResume plainResume;
    private final Acks acks;
    private final InFlight inFlight;
    private long last;

    Intake(
            LiveSession live,
            SessionCore core,
            OpenTurns turns,
            PendingAnswers answers,
            PlainResume plainResume,
            LineRoom room) {
        this.live = live;
        this.core = core;
        this.turns = turns;
        this.answers = answers;
        this.plainResume = plainResume;
        this.acks = new Acks(live::send);
        this.inFlight = new InFlight(room);
    }

    /** Said before the first event: those up to this one are in the log. */
    void beginAfter(long n) {
        last = n;
    }

    /** Blocks while too much of this session is on its way to the disk. */
    void take(EventFrame frame) throws InterruptedException {
        long n = frame.n() > 0 ? frame.n() : last + 1;
        if (n <= last) {
            return; // the log has it
        }
        last = n;
        KillPoint.EVENT_READ.reached();
        inFlight.acquire(frame.event());
        var place = new BridgePlace(live.bridgeId(), n);
        switch (frame.event()) {
            case BridgeEvent.Message(var data) -> message(frame, data, place);
            case BridgeEvent.Failed failed -> failed(frame, failed, place);
            case BridgeEvent.Done _ -> done(frame, place);
            case BridgeEvent.TurnStarted _ -> engineTurn(frame, place);
            case BridgeEvent.Approval question -> asked(frame, question, place);
            case BridgeEvent.ApprovalGone(var question) ->
                    core.approvals()
                            .gone(
                                    live.id(),
                                    place,
                                    question,
                                    stored(place, 0, true),
                                    this::unstored);
            case BridgeEvent.ExecResult result -> {
                answers.exec(result);
                nothing(place, result.stdout().length() + result.stderr().length());
            }
            case BridgeEvent.Resting resting -> {
                // Not acknowledged: until its turn is marked, another server must hear of it.
                inFlight.release();
                if (!answers.rested(resting) && resting.ready()) {
                    live.restedUnasked(resting);
                }
            }
            case BridgeEvent.Attached _, BridgeEvent.Ready _, BridgeEvent.Unknown _ ->
                    nothing(place, 0);
        }
    }

    private void message(EventFrame frame, RawJson data, BridgePlace place) {
        turns.sawMessage();
        plainResume.sawMessage();
        live.used();
        var turn = turns.of(frame.turnId()).orElse(null);
        var message = EngineMessage.read(data).orElse(null);
        if (message != null && message.isHint()) {
            var hint = new LoggedEvent(0, turn, EventType.MESSAGE, data, 0);
            core.events().hint(live.id(), hint, stored(place, data.length(), false));
        } else {
            var event =
                    message == null
                            ? NewEvent.of(live.id(), turn, EventType.MESSAGE, data, place)
                            : NewEvent.message(live.id(), turn, message, place);
            append(List.of(event), (_, _) -> {}, place, false);
        }
    }

    private void failed(EventFrame frame, BridgeEvent.Failed failure, BridgePlace place) {
        failed(frame, explained(failure), place, failure.error());
    }

    /** An engine that died for want of memory or processes cannot tell. */
    private BridgeEvent.Failed explained(BridgeEvent.Failed failure) {
        return failure.engineGone()
                ? live.pressure()
                        .map(why -> new BridgeEvent.Failed(failure.error() + ". " + why, true))
                        .orElse(failure)
                : failure;
    }

    private void failed(
            EventFrame frame, BridgeEvent.Failed failure, BridgePlace place, String said) {
        if (answers.failed(said)) {
            LOG.log(Level.WARNING, "session {0}: its bridge cannot resume: {1}", live.id(), said);
            nothing(place, 0);
            return;
        }
        boolean plain = frame.turnId() == null && !live.speaksOurs();
        var turn = plain ? turns.closeByError() : turns.of(frame.turnId());
        var data = JsonWriter.object().put("error", failure.error()).end();
        var event = NewEvent.of(live.id(), turn.orElse(null), EventType.ERROR, data, place);
        if (plain && turn.isPresent()) {
            append(
                    List.of(event, NewEvent.done(live.id(), turn.get())),
                    (transaction, now) ->
                            core.turns()
                                    .ended(transaction, turn.get(), TurnStore.Status.ERROR, now),
                    place,
                    true);
            live.turnOver();
        } else {
            if (failure.engineGone()) {
                live.engineGone();
            }
            append(
                    List.of(event),
                    (transaction, now) -> {
                        if (failure.engineGone()) {
                            core.sessions()
                                    .status(
                                            transaction,
                                            live.id(),
                                            SessionStatus.ERROR,
                                            null,
                                            failure.error(),
                                            now);
                        }
                    },
                    place,
                    false);
        }
    }

    /** Ends the open turn with an error that its bridge reported earlier. */
    void endTurn(String error) {
        synchronized (live) {
            var turn = turns.closeByError();
            if (turn.isEmpty()) {
                return;
            }
            core.events()
                    .append(
                            live.id(),
                            List.of(
                                    NewEvent.error(live.id(), turn.get(), error),
                                    NewEvent.done(live.id(), turn.get())),
                            (transaction, now) ->
                                    core.turns()
                                            .ended(
                                                    transaction,
                                                    turn.get(),
                                                    TurnStore.Status.ERROR,
                                                    now),
                            () -> {},
                            live::unlogged);
        }
        live.turnOver();
    }

    private void done(EventFrame frame, BridgePlace place) {
        // One that names no turn answers a resume, perhaps that of an earlier server.
        if (answers.done() || (frame.turnId() == null && live.speaksOurs())) {
            nothing(place, 0);
            return;
        }
        synchronized (live) { // the next prompt is logged after it
            // Closed before it is committed: who has seen the done may send that prompt at once.
            var turn = turns.close(frame.turnId());
            if (turn.isEmpty()) {
                nothing(place, 0);
                return;
            }
            var data = NewEvent.done(live.id(), turn.get()).data();
            append(
                    List.of(NewEvent.of(live.id(), turn.get(), EventType.DONE, data, place)),
                    (transaction, now) ->
                            core.turns().ended(transaction, turn.get(), TurnStore.Status.DONE, now),
                    place,
                    true);
        }
        live.turnOver();
    }

    private void engineTurn(EventFrame frame, BridgePlace place) {
        TurnId turn;
        try {
            turn = frame.turnId() == null ? TurnId.random() : new TurnId(frame.turnId());
        } catch (ApiException e) {
            turn = TurnId.random(); // the bridge is not trusted with ids
        }
        var begun = turn;
        if (turns.reopen(begun)) {
            append(
                    List.of(),
                    (transaction, now) ->
                            core.turns()
                                    .opened(
                                            transaction,
                                            live.id(),
                                            begun,
                                            TurnStore.Status.RUNNING,
                                            null,
                                            now),
                    place,
                    false);
        } else {
            nothing(place, 0);
        }
    }

    private void asked(EventFrame frame, BridgeEvent.Approval question, BridgePlace place) {
        live.used();
        core.approvals()
                .asked(
                        live,
                        live.tenant(),
                        live.id(),
                        turns.of(frame.turnId()).orElse(null),
                        question,
                        place,
                        stored(place, question.input().length(), true),
                        this::unstored);
    }

    private void append(
            List<NewEvent> added, SessionEvents.Also also, BridgePlace place, boolean atRest) {
        int size = added.stream().mapToInt(event -> event.data().length()).sum();
        SessionEvents.Also inOrder =
                (transaction, now) -> {
                    live.requireLogged();
                    also.run(transaction, now);
                };
        core.events()
                .append(live.id(), added, inOrder, stored(place, size, atRest), this::unstored);
    }

    /** In its place behind what is on its way to the disk, for an acknowledgement tells of all. */
    private void nothing(BridgePlace place, int size) {
        core.events().inOrder(stored(place, size, true));
    }

    private Runnable stored(BridgePlace place, int size, boolean atRest) {
        return () -> {
            inFlight.release();
            if (live.speaksOurs()) {
                acks.stored(place.n(), size, atRest);
            }
        };
    }

    private void unstored(ApiException why) {
        inFlight.release();
        live.unlogged(why);
    }
}
