package dev.ash.server.session;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.TurnId;
import dev.ash.protocol.bridge.BridgeCommand;
import dev.ash.server.memory.ByteBudget;
import dev.ash.server.memory.MemoryBudgets;

/** A prompt that waited in the database, now in memory; what it takes there is counted. */
record StoredPrompt(BridgeCommand.Query query, ByteBudget.Lease lease) implements AutoCloseable {
    static StoredPrompt read(TurnStore turns, TenantId tenant, TurnId turn) {
        long needed = turns.queryBytes(turn) * MemoryBudgets.INTAKE_COPIES;
        try {
            var lease =
                    MemoryBudgets.ofProcess()
                            .intake()
                            .acquire(tenant.value(), needed, MemoryBudgets.INTAKE_WAIT);
            try {
                return new StoredPrompt(turns.query(turn).orElseThrow(), lease);
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
