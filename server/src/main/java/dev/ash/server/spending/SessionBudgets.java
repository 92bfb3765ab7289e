package dev.ash.server.spending;

import dev.ash.protocol.SessionId;
import dev.ash.server.store.Database;
import java.time.Clock;

/** Opens the budgets of sessions and settles calls that an earlier server left in flight. */
public final class SessionBudgets {
    private static final System.Logger LOG = System.getLogger("ash.spending");

    private final Database database;
    private final SpendingStore store = new SpendingStore();
    private final Clock clock;

    public SessionBudgets(Database database, Clock clock) {
        this.database = database;
        this.clock = clock;
    }

    public SessionBudget open(SessionId session, SessionBudget.Limits limits) {
        return new SessionBudget(database.writer(), store, clock, session, limits);
    }

    /**
     * Charges calls that were in flight when the server crashed with their estimates, because their
     * actual usage is unknown. Call before sandboxes can make new calls.
     */
    public void recover() {
        var settled =
                database.writer()
                        .write(
                                transaction -> {
                                    var leftovers = store.leftovers(transaction);
                                    for (var call : leftovers) {
                                        store.remove(transaction, call.id());
                                        store.charge(transaction, call.session(), call.estimate());
                                    }
                                    return leftovers;
                                });
        for (var call : settled) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "Session {0}: a model call was in flight when the server terminated; charging"
                            + " its reservation of {1} tokens and ${2}",
                    call.session(),
                    call.estimate().input() + call.estimate().output(),
                    call.estimate().costUsd());
        }
    }
}
