package dev.ash.server.session;

import dev.ash.protocol.bridge.BridgeEvent;
import dev.ash.server.memory.ByteBudget;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;

/**
 * Bounds what one session has on its way to the disk, in events and in bytes: a bridge that sends
 * faster than the disk stores must neither fill the writer's queue for the others nor the memory.
 * While there is no room the session's reader waits, and the bridge with it. What is not tiny also
 * counts in the memory that all sessions have for events.
 */
final class InFlight {
    static final int MAX_EVENTS = 256;
    static final int MAX_BYTES = 4 * 1024 * 1024;

    /** Events of this size are bounded well enough by their number. */
    static final int TINY = 4 * 1024;

    private final Semaphore events = new Semaphore(MAX_EVENTS);
    private final Semaphore bytes = new Semaphore(MAX_BYTES);
    private final Queue<Held> held = new ConcurrentLinkedQueue<>();
    private final LineRoom room;

    private record Held(int size, List<ByteBudget.Lease> leases) {}

    InFlight(LineRoom room) {
        this.room = room;
    }

    /** Waits for room; an event that is larger than all of it waits to be alone. */
    void acquire(BridgeEvent event) throws InterruptedException {
        int all = size(event);
        int size = Math.min(all, MAX_BYTES);
        events.acquire();
        bytes.acquire(size);
        held.add(new Held(size, room.take(all)));
    }

    /** The oldest event is stored, or given up: they are stored in their order. */
    void release() {
        var oldest = held.poll();
        if (oldest != null) {
            bytes.release(oldest.size());
            oldest.leases().forEach(ByteBudget.Lease::close);
        }
        events.release();
    }

    private static int size(BridgeEvent event) {
        return switch (event) {
            case BridgeEvent.Message(var data) -> data.length();
            case BridgeEvent.Failed failed -> failed.error().length();
            case BridgeEvent.Approval question -> question.input().length();
            case BridgeEvent.ExecResult result ->
                    result.stdout().length() + result.stderr().length();
            default -> 0; // a few short fields
        };
    }
}
