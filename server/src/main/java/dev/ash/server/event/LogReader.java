package dev.ash.server.event;

import dev.ash.protocol.SessionId;
import dev.ash.server.memory.ByteBudget;
import dev.ash.server.memory.MemoryBudgets;
import dev.ash.server.processor.ProcessorShares;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Reads the log of one session in small batches. An event that is larger than a batch is read
 * alone, when the memory budget of its tenant has room for it, and is charged to the budget until
 * the next read. Not thread-safe.
 */
final class LogReader implements AutoCloseable {
    static final int BATCH_BYTES = MemoryBudgets.SMALL_BYTES;

    private final EventStore store;
    private final SessionId session;
    private final ByteBudget budget;
    private final Duration wait;
    private @Nullable String tenantId;
    private ByteBudget.@Nullable Lease lease;

    LogReader(EventStore store, SessionId session) {
        this(store, session, MemoryBudgets.ofProcess().reads(), MemoryBudgets.READ_WAIT);
    }

    LogReader(EventStore store, SessionId session, ByteBudget budget, Duration wait) {
        this.store = store;
        this.session = session;
        this.budget = budget;
        this.wait = wait;
    }

    /** Reads the next batch. The caller must no longer use the previous one. */
    EventPageStore.Page read(EventPageStore.Query query) throws InterruptedException {
        close();
        var rows = query.run(BATCH_BYTES);
        if (rows.oversizedBytes() == 0) {
            return rows;
        }
        if (tenantId == null) {
            tenantId = store.tenantOf(session);
        }
        long needed = rows.oversizedBytes() * MemoryBudgets.READ_COPIES;
        var tenant = tenantId;
        lease = ProcessorShares.await(() -> budget.acquire(tenant, needed, wait));
        return ProcessorShares.ofProcess().compute(tenant, () -> query.run(rows.oversizedBytes()));
    }

    /** Releases the budget of the last batch. */
    @Override
    public void close() {
        if (lease != null) {
            lease.close();
            lease = null;
        }
    }
}
