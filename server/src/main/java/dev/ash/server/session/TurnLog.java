package dev.ash.server.session;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.TurnId;
import dev.ash.protocol.bridge.BridgeCommand;
import dev.ash.server.event.LoggedEvent;
import dev.ash.server.event.NewEvent;
import java.util.List;

/** What becomes of the turns of one session, committed before anybody acts on it. */
final class TurnLog {
    private final SessionCore core;
    private final SessionId session;

    TurnLog(SessionCore core, SessionId session) {
        this.core = core;
        this.session = session;
    }

    LoggedEvent begun(NewTurn turn) {
        var query = turn.asLogged() ? TurnStore.withoutPrompt(turn.query()) : turn.query();
        return store(turn, query, List.of(turn.prompt()), TurnStore.Status.RUNNING).getFirst();
    }

    void queued(NewTurn turn) {
        store(turn, turn.query(), List.of(), TurnStore.Status.QUEUED);
    }

    private List<LoggedEvent> store(
            NewTurn turn,
            BridgeCommand.Query query,
            List<NewEvent> logged,
            TurnStore.Status status) {
        return core.events()
                .appendNow(
                        session,
                        logged,
                        (transaction, now) -> {
                            turn.also().run(transaction, now);
                            core.turns()
                                    .opened(transaction, session, turn.id(), status, query, now);
                            core.sessions().touch(transaction, session, now);
                        });
    }

    /** The engine is about to be told to go on with a turn that was laid aside. */
    void continued(TurnId turn) {
        core.events()
                .appendNow(
                        session,
                        List.of(),
                        (transaction, now) ->
                                core.turns()
                                        .changed(
                                                transaction,
                                                turn,
                                                TurnStore.Status.CONTINUED,
                                                now));
    }

    /** A bridge has laid its question aside, and with it these turns. */
    void laidAside(List<TurnId> turns, String bridgeId, String question) {
        core.events()
                .appendNow(
                        session,
                        List.of(),
                        (transaction, now) -> {
                            core.approvals().laidAside(transaction, session, bridgeId, question);
                            for (var turn : turns) {
                                core.turns()
                                        .changed(transaction, turn, TurnStore.Status.DEFERRED, now);
                            }
                        });
    }
}
