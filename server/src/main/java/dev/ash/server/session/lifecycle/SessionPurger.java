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
 * Removes sessions with their logs, on request or when their retention expires. A removal that a
 * crash interrupts is completed later; clients never see a partially removed session.
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

    /** Ends the session if necessary and removes it. Returns its last state. */
    public SessionRow purge(TenantId tenant, SessionId id) {
        sessions.end(tenant, id, "ended");
        return live.locked(
                id,
                () -> {
                    var row = sessions.find(tenant, id); // may have been removed concurrently
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

    /** Returns the periodic work. */
    public Housekeeping.Work work() {
        return () -> {
            expire();
            removeRows();
        };
    }

    /** Purges sessions whose retention has expired. */
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
                        "removing session {0}: it ended more than {1} days ago",
                        each.session(),
                        retention.get().toDays());
            }
            removeRows();
        }
    }

    /** Removes the remaining rows of purged sessions, including purges of an earlier server. */
    public void removeRows() throws InterruptedException {
        for (var next = store.next(); next.isPresent(); next = store.next()) {
            core.runners().discard(next.get().sandbox());
            boolean hasMore = true;
            while (hasMore) {
                long begin = System.nanoTime();
                hasMore = store.removeBatch(next.get().session());
                Thread.sleep(
                        Duration.ofNanos(
                                System.nanoTime()
                                        - begin)); // leave half of the time to other writes
            }
        }
    }
}
