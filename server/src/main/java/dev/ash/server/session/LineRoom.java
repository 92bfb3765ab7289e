package dev.ash.server.session;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.json.JsonLinesReader;
import dev.ash.server.memory.ByteBudget;
import dev.ash.server.memory.MemoryBudgets;
import java.util.ArrayList;
import java.util.List;

/**
 * What a large line of a bridge takes of the memory for events, from the time when it is read until
 * its event is stored. For the thread that reads.
 */
final class LineRoom implements JsonLinesReader.Room {
    private final TenantId tenant;
    private final ByteBudget budget;
    private List<ByteBudget.Lease> leases = new ArrayList<>();
    private int held;

    LineRoom(TenantId tenant, ByteBudget budget) {
        this.tenant = tenant;
        this.budget = budget;
    }

    @Override
    public void grow(int bytes) {
        if (bytes > held) {
            leases.add(acquire(bytes - held));
            held = bytes;
        }
    }

    /** Hands over what the line that was just read takes, or as much as an event of this size. */
    List<ByteBudget.Lease> take(int size) {
        if (size > held && size > InFlight.TINY) {
            leases.add(acquire(size - held));
        }
        var taken = leases;
        leases = taken.isEmpty() ? taken : new ArrayList<>();
        held = 0;
        return taken;
    }

    void close() {
        take(0).forEach(ByteBudget.Lease::close);
    }

    private ByteBudget.Lease acquire(int bytes) {
        try {
            return budget.acquire(tenant.value(), bytes, MemoryBudgets.INTAKE_WAIT);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ApiException(ErrorCode.SHUTTING_DOWN, "The server is shutting down", e);
        }
    }
}
