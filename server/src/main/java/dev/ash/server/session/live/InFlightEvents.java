package dev.ash.server.session.live;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.bridge.BridgeCommand;
import dev.ash.protocol.bridge.BridgeEvent;
import dev.ash.protocol.json.JsonLinesReader;
import dev.ash.server.memory.ByteBudget;
import dev.ash.server.memory.MemoryBudgets;
import dev.ash.server.store.KillPoint;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Tracks the events of one session that were received but not yet stored, bounded in number and
 * bytes, so that one bridge cannot fill the shared writer queue or the memory. Applies
 * backpressure: at the limit the session's reader blocks, and the bridge with it. Larger events are
 * also charged to the memory budget of all sessions, from their first byte on.
 *
 * <p>Acknowledges stored events to the bridge in batches: each acknowledgement covers all events
 * before it.
 */
final class InFlightEvents implements JsonLinesReader.GrowthGuard {
    static final int MAX_EVENTS = 256;
    static final int MAX_BYTES = 4 * 1024 * 1024;

    /** Events up to this size are only limited in number. */
    static final int UNBUDGETED_BYTES = 4 * 1024;

    private static final int EVENTS_PER_ACK = 64;
    private static final int BYTES_PER_ACK = 1024 * 1024;

    private final TenantId tenant;
    private final ByteBudget budget;
    private final Sender bridge;
    private final Semaphore events = new Semaphore(MAX_EVENTS);
    private final Semaphore bytes = new Semaphore(MAX_BYTES);
    private final Queue<Entry> entries = new ConcurrentLinkedQueue<>();

    // Leases of the line that is being read; confined to the reader.
    private List<ByteBudget.Lease> leases = new ArrayList<>();
    private int leased;

    // Confined to the writer's thread.
    private int storedEvents;
    private long storedBytes;

    private final AtomicLong lastStored = new AtomicLong();
    private final AtomicBoolean sending = new AtomicBoolean();

    private record Entry(int size, List<ByteBudget.Lease> leases) {}

    /** Sends commands to a bridge. */
    interface Sender {
        void send(BridgeCommand command) throws IOException;
    }

    InFlightEvents(TenantId tenant, ByteBudget budget, Sender bridge) {
        this.tenant = tenant;
        this.budget = budget;
        this.bridge = bridge;
    }

    /** Reserves memory for the line that is being read; blocks until it is available. */
    @Override
    public void grow(int size) {
        if (size > leased) {
            leases.add(lease(size - leased));
            leased = size;
        }
    }

    /** Blocks until there is room; an event above the limit waits until there is no other. */
    void acquire(BridgeEvent event) throws InterruptedException {
        int all = size(event);
        int size = Math.min(all, MAX_BYTES);
        events.acquire();
        bytes.acquire(size);
        entries.add(new Entry(size, takeLeases(all)));
    }

    private List<ByteBudget.Lease> takeLeases(int size) {
        if (size > leased && size > UNBUDGETED_BYTES) {
            leases.add(lease(size - leased));
        }
        var taken = leases;
        leases = taken.isEmpty() ? taken : new ArrayList<>();
        leased = 0;
        return taken;
    }

    private ByteBudget.Lease lease(int size) {
        try {
            return budget.acquire(tenant.value(), size, MemoryBudgets.INTAKE_WAIT);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ApiException(ErrorCode.SHUTTING_DOWN, "The server is shutting down", e);
        }
    }

    /** Releases the memory of an incomplete line. */
    void close() {
        takeLeases(0).forEach(ByteBudget.Lease::close);
    }

    /** Releases the oldest event without acknowledging it. */
    void release() {
        var oldest = entries.poll();
        if (oldest != null) {
            bytes.release(oldest.size());
            oldest.leases().forEach(ByteBudget.Lease::close);
        }
        events.release();
    }

    /**
     * Releases the oldest event, which is stored, and acknowledges it now or later. Called on the
     * writer's thread; another thread sends, because a bridge that does not read must not delay all
     * writes. {@code isIdle}: acknowledge now, since the next event may not follow soon.
     */
    void releaseStored(long number, int size, boolean isIdle) {
        release();
        lastStored.set(number);
        storedEvents++;
        storedBytes += size;
        if (isIdle || storedEvents >= EVENTS_PER_ACK || storedBytes >= BYTES_PER_ACK) {
            storedEvents = 0;
            storedBytes = 0;
            if (sending.compareAndSet(false, true)) {
                Thread.ofVirtual().start(this::acknowledge);
            }
        }
    }

    private void acknowledge() {
        try {
            for (long sent = 0, latest = lastStored.get();
                    sent != latest;
                    latest = lastStored.get()) {
                bridge.send(new BridgeCommand.Ack(latest));
                KillPoint.EVENT_ACKED.reached();
                sent = latest;
            }
        } catch (IOException e) {
            // The bridge has exited; an attach continues after the last stored event.
        } finally {
            sending.set(false);
        }
    }

    private static int size(BridgeEvent event) {
        return switch (event) {
            case BridgeEvent.Message(var data) -> data.length();
            case BridgeEvent.Failed failed -> failed.error().length();
            case BridgeEvent.Approval question -> question.input().length();
            case BridgeEvent.ExecResult result ->
                    result.stdout().length() + result.stderr().length();
            default -> 0; // only short fields
        };
    }
}
