package dev.ash.server.gateway;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Runs the requests of one device: those of a lane one after another, as they came, lanes beside
 * each other. Only so many wait or run at a time.
 */
final class RequestLanes {
    private static final int MOST = 64;

    private final Map<String, Queue<Runnable>> lanes = new HashMap<>(); // guarded by this
    private int open;

    /** False if there are too many already. */
    synchronized boolean run(String lane, Runnable request) {
        if (open >= MOST) {
            return false;
        }
        open++;
        var waiting = lanes.get(lane);
        if (waiting == null) {
            lanes.put(lane, new ArrayDeque<>());
            Thread.ofVirtual().name("gateway-request").start(() -> work(lane, request));
        } else {
            waiting.add(request);
        }
        return true;
    }

    private void work(String lane, Runnable first) {
        for (var next = first; next != null; next = after(lane)) {
            next.run();
        }
    }

    private synchronized @Nullable Runnable after(String lane) {
        open--;
        var next = lanes.getOrDefault(lane, new ArrayDeque<>()).poll();
        if (next == null) {
            lanes.remove(lane);
        }
        return next;
    }
}
