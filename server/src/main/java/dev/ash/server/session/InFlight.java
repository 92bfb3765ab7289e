package dev.ash.server.session;

import dev.ash.protocol.bridge.BridgeEvent;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;

/**
 * Bounds what one session has on its way to the disk, in events and in bytes: a bridge that sends
 * faster than the disk stores must neither fill the writer's queue for the others nor the memory.
 * While there is no room the session's reader waits, and the bridge with it.
 */
final class InFlight {
    static final int MAX_EVENTS = 256;
    static final int MAX_BYTES = 32 * 1024 * 1024;

    private final Semaphore events = new Semaphore(MAX_EVENTS);
    private final Semaphore bytes = new Semaphore(MAX_BYTES);
    private final Queue<Integer> sizes = new ConcurrentLinkedQueue<>();

    /** Waits for room; an event that is larger than all of it waits to be alone. */
    void acquire(BridgeEvent event) throws InterruptedException {
        int size = Math.min(size(event), MAX_BYTES);
        events.acquire();
        bytes.acquire(size);
        sizes.add(size);
    }

    /** The oldest event is stored, or given up: they are stored in their order. */
    void release() {
        var size = sizes.poll();
        bytes.release(size == null ? 0 : size);
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
