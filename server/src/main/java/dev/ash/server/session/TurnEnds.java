package dev.ash.server.session;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.SessionStatus;
import dev.ash.protocol.TurnId;
import dev.ash.server.event.NewEvent;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Ends turns that no bridge will end, together with the change of state that ends them. */
final class TurnEnds {
    /** {@code why} is told by each of the turns, and by the session if its state is an error. */
    static void log(
            SessionCore core,
            SessionId session,
            List<TurnId> over,
            String why,
            SessionStatus status,
            SessionRow.@Nullable PausedBy by,
            List<NewEvent> lifecycle) {
        var last = new ArrayList<NewEvent>();
        for (var turn : over) {
            last.add(NewEvent.error(session, turn, why));
            last.add(NewEvent.done(session, turn));
        }
        last.addAll(lifecycle);
        var logged = new ArrayList<NewEvent>();
        core.events()
                .appendNow(
                        session,
                        logged,
                        (transaction, now) -> {
                            logged.clear(); // a unit of work may run twice
                            over.forEach(
                                    turn ->
                                            core.turns()
                                                    .ended(
                                                            transaction,
                                                            turn,
                                                            TurnStore.Status.ERROR,
                                                            now));
                            if (status == SessionStatus.ENDED) {
                                logged.addAll(
                                        core.approvals().cancelOpen(transaction, session, now));
                            }
                            logged.addAll(last);
                            core.sessions()
                                    .status(
                                            transaction,
                                            session,
                                            status,
                                            by,
                                            status == SessionStatus.ERROR ? why : null,
                                            now);
                        });
    }

    private TurnEnds() {}
}
