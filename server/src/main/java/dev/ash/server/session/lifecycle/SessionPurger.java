package dev.ash.server.session.lifecycle;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.TenantId;
import dev.ash.server.session.live.SessionCore;
import dev.ash.server.session.store.PurgeStore;
import dev.ash.server.session.store.SessionRow;
import dev.ash.server.store.Database;
import dev.ash.server.store.Housekeeping;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;

/**
 * Removes sessions with their logs, on request or some time after their end. What a crash
 * interrupts is finished later; nobody sees half of a session.
 */
public final class SessionPurger {
    private static final System.Logger LOG = System.getLogger("ash.session");
    private static final int EXPIRY_BATCH = 100;

    private final Database database;
    private final Sessions sessions;
    private final LiveSessions live;
    private final SessionCore core;
    private final PurgeStore store;
    private final Clock clock;
    private final Optional<Duration> retention;

    public SessionPurger(
            Database database,
            Sessions sessions,
            LiveSessions live,
            SessionCore core,
            Clock clock,
            Optional<Duration> retention) {
        this.database = database;
        this.sessions = sessions;
        this.live = live;
        this.core = core;
        this.store = new PurgeStore(database);
        this.clock = clock;
        this.retention = retention;
    }

    /** Ends the session if it has not ended, and removes it; returns how it was last. */
    public SessionRow purge(TenantId tenant, SessionId id) {
        sessions.end(tenant, id, "ended");
        return live.locked(
                id,
                () -> {
                    var row = sessions.find(tenant, id); // another may have been first
                    database.writer()
                            .write(
                                    transaction -> {
                                        store.begin(transaction, row, clock.millis());
                                        return row;
                                    },
                                    _ -> core.events().onRemoved(id));
                    return row;
                });
    }

    /** What is done on a timer. */
    public Housekeeping.Work work() {
        return () -> {
            expire();
            removeRows();
        };
    }

    /** Purges sessions that ended too long ago. */
    void expire() throws InterruptedException {
        if (retention.isEmpty()) {
            return;
        }
        long before = clock.millis() - retention.get().toMillis();
        for (var expired = store.endedBefore(before, EXPIRY_BATCH);
                !expired.isEmpty();
                expired = store.endedBefore(before, EXPIRY_BATCH)) {
            for (var each : expired) {
                purge(each.tenant(), each.session());
                LOG.log(
                        System.Logger.Level.INFO,
                        "session {0} is removed: it ended more than {1} days ago",
                        each.session(),
                        retention.get().toDays());
            }
            removeRows();
        }
    }

    /** Removes what is left of purged sessions, also of those that an earlier server began. */
    public void removeRows() throws InterruptedException {
        for (var next = store.next(); next.isPresent(); next = store.next()) {
            core.runners().discard(next.get().sandbox());
            boolean more = true;
            while (more) {
                long begin = System.nanoTime();
                more = store.removeBatch(next.get().session());
                Thread.sleep(Duration.ofNanos(System.nanoTime() - begin)); // others write too
            }
        }
    }
}
