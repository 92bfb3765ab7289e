package dev.ash.server.session.live;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.TurnId;
import dev.ash.server.event.LoggedEvent;
import dev.ash.server.event.NewEvent;
import dev.ash.server.event.NewEvent.BridgePosition;
import dev.ash.server.event.SessionEvents;
import dev.ash.server.session.store.StatusChange;
import dev.ash.server.session.store.TurnStore;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Stores the turns and events of one live session in order, and acknowledges stored events to its
 * bridge. Stores no events after one that could not be stored, so that the log has no gaps.
 */
public final class TurnLog {
    private final SessionCore core;
    private final SessionId session;
    private final InFlightEvents inFlight;
    private final Consumer<ApiException> onFailure;
    private final AtomicReference<@Nullable ApiException> failure = new AtomicReference<>();

    /** {@code onFailure} runs once, on the writer's thread. */
    TurnLog(
            SessionCore core,
            SessionId session,
            InFlightEvents inFlight,
            Consumer<ApiException> onFailure) {
        this.core = core;
        this.session = session;
        this.inFlight = inFlight;
        this.onFailure = onFailure;
    }

    /** Stores a new turn with its prompt and returns the prompt's event. */
    public LoggedEvent begin(NewTurn turn) {
        return begin(core, session, turn);
    }

    public static LoggedEvent begin(SessionCore core, SessionId session, NewTurn turn) {
        var query = turn.isLoggedUnchanged() ? TurnStore.withoutPrompt(turn.query()) : turn.query();
        var stored =
                core.events()
                        .append(
                                session,
                                List.of(turn.prompt()),
                                (transaction, now) -> {
                                    turn.statements().run(transaction, now);
                                    core.turns().begin(transaction, session, turn.id(), query, now);
                                    core.sessions().touch(transaction, session, now);
                                });
        return stored.getFirst();
    }

    /** Stores a new turn whose prompt is logged when it begins. */
    void enqueue(NewTurn turn) {
        core.turns()
                .enqueue(
                        session,
                        turn.id(),
                        turn.query(),
                        (transaction, now) -> {
                            turn.statements().run(transaction, now);
                            core.sessions().touch(transaction, session, now);
                        });
    }

    /** Logs the prompt of a queued turn; {@code committed} runs on the writer's thread. */
    void beginQueued(StoredPrompt next, Runnable committed) {
        core.events()
                .submit(
                        session,
                        List.of(NewEvent.prompt(session, next.turn(), next.query().prompt())),
                        (transaction, now) ->
                                core.turns()
                                        .beginQueued(transaction, next.turn(), next.query(), now),
                        committed,
                        why -> {
                            next.close();
                            fail(why);
                        });
    }

    /** Marks turns as deferred until the answer to this question. */
    void defer(List<TurnId> turns, String bridgeId, String question) {
        core.turns()
                .defer(
                        turns,
                        transaction ->
                                core.approvals().defer(transaction, session, bridgeId, question));
    }

    /** Publishes a part of a message without storing it. */
    void publish(LoggedEvent event, BridgePosition position) {
        core.events()
                .publishTransient(
                        session, event, acknowledgement(position, event.data().length(), false));
    }

    void append(NewEvent event, BridgePosition position) {
        append(List.of(event), (_, _) -> {}, position, false);
    }

    void failEngine(NewEvent event, StatusChange change, BridgePosition position) {
        append(
                List.of(event),
                (transaction, now) -> core.statuses().change(transaction, session, change, now),
                position,
                false);
    }

    void endTurn(
            TurnId turn, TurnStore.Status status, List<NewEvent> events, BridgePosition position) {
        append(
                events,
                (transaction, now) -> core.turns().markEnded(transaction, turn, status, now),
                position,
                true);
    }

    /** Ends a turn with an error that the bridge reported earlier. */
    void endTurn(TurnId turn, String error) {
        core.events()
                .submit(
                        session,
                        List.of(NewEvent.error(session, turn, error), NewEvent.done(session, turn)),
                        (transaction, now) ->
                                core.turns()
                                        .markEnded(transaction, turn, TurnStore.Status.ERROR, now),
                        () -> {},
                        this::fail);
    }

    void beginEngineTurn(TurnId turn, BridgePosition position) {
        append(
                List.of(),
                (transaction, now) -> core.turns().beginEngineTurn(transaction, session, turn, now),
                position,
                false);
    }

    private void append(
            List<NewEvent> events,
            SessionEvents.Statements statements,
            BridgePosition position,
            boolean isIdle) {
        int bytes = events.stream().mapToInt(event -> event.data().length()).sum();
        core.events()
                .submit(
                        session,
                        events,
                        (transaction, now) -> {
                            requireNoFailure();
                            statements.run(transaction, now);
                        },
                        acknowledgement(position, bytes, isIdle),
                        this::onStoreFailure);
    }

    /** Acknowledges an event that is not stored, after the events before it are stored. */
    void acknowledge(BridgePosition position, int bytes) {
        core.events().runInOrder(acknowledgement(position, bytes, true));
    }

    /** Returns the action that acknowledges the event, for the writer's thread. */
    Runnable acknowledgement(BridgePosition position, int bytes, boolean isIdle) {
        return () -> inFlight.releaseStored(position.n(), bytes, isIdle);
    }

    /** Releases an event that could not be stored. Called on the writer's thread. */
    void onStoreFailure(ApiException why) {
        inFlight.release();
        fail(why);
    }

    void fail(ApiException why) {
        if (failure.compareAndSet(null, why)) {
            onFailure.accept(why);
        }
    }

    private void requireNoFailure() {
        var why = failure.get();
        if (why != null) {
            throw why;
        }
    }
}
