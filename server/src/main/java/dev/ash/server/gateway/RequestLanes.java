package dev.ash.server.gateway;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Runs the requests of one device: those of a lane one after another, as they came, lanes beside
 * each other. Only so many lanes run and so much waits at a time.
 */
final class RequestLanes {
    private static final int MOST_LANES = 64;

    /** More than the published app keeps while it is offline, and sends all at once then. */
    private static final int MOST = 1200;

    private static final long MOST_BYTES = 16 * 1024 * 1024;

    private final Map<String, Queue<Request>> lanes = new HashMap<>(); // guarded by this
    private int open;
    private long bytes;

    private record Request(int size, Runnable work) {}

    /** False if there are too many already. */
    synchronized boolean run(String lane, int size, Runnable work) {
        var waiting = lanes.get(lane);
        boolean isFull = open >= MOST || bytes + size > MOST_BYTES;
        if (isFull || (waiting == null && lanes.size() >= MOST_LANES)) {
            return false;
        }
        open++;
        bytes += size;
        var request = new Request(size, work);
        if (waiting == null) {
            lanes.put(lane, new ArrayDeque<>());
            Thread.ofVirtual().name("gateway-request").start(() -> work(lane, request));
        } else {
            waiting.add(request);
        }
        return true;
    }

    private void work(String lane, Request first) {
        for (var next = first; next != null; next = after(lane, next)) {
            next.work().run();
        }
    }

    private synchronized @Nullable Request after(String lane, Request done) {
        open--;
        bytes -= done.size();
        var next = lanes.getOrDefault(lane, new ArrayDeque<>()).poll();
        if (next == null) {
            lanes.remove(lane);
        }
        return next;
    }
}
