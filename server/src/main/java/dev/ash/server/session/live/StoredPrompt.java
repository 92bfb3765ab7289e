package dev.ash.server.session.live;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.TurnId;
import dev.ash.protocol.bridge.BridgeCommand;
import dev.ash.server.memory.ByteBudget;
import dev.ash.server.memory.MemoryBudgets;
import dev.ash.server.session.store.TurnStore;
import java.util.Optional;

/** A queued prompt that was read from the database; charged to the memory budget. */
record StoredPrompt(TurnId turn, BridgeCommand.Query query, ByteBudget.Lease lease)
        implements AutoCloseable {
    /** Opens the oldest queued turn, if none is open, and reads its prompt. */
    static Optional<StoredPrompt> next(OpenTurns turns, TurnStore store, TenantId tenant) {
        for (var next = turns.next(); next.isPresent(); next = turns.next()) {
            var prompt = read(store, tenant, next.get());
            if (prompt.isPresent()) {
                return prompt;
            }
            turns.close(next.get());
        }
        return Optional.empty();
    }

    /** Returns empty if the turn has ended meanwhile. */
    private static Optional<StoredPrompt> read(TurnStore turns, TenantId tenant, TurnId turn) {
        long needed = turns.queryBytes(turn) * MemoryBudgets.INTAKE_COPIES;
        try {
            var lease =
                    MemoryBudgets.ofProcess()
                            .intake()
                            .acquire(tenant.value(), needed, MemoryBudgets.INTAKE_WAIT);
            try {
                var query = turns.query(turn);
                if (query.isEmpty()) {
                    lease.close();
                }
                return query.map(found -> new StoredPrompt(turn, found, lease));
            } catch (RuntimeException | Error e) {
                lease.close();
                throw e;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ApiException(ErrorCode.SHUTTING_DOWN, "The server is shutting down", e);
        }
    }

    @Override
    public void close() {
        lease.close();
    }
}
