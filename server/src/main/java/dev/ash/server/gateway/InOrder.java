package dev.ash.server.gateway;

import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/** Does one thing after another, on a thread that is there only while there is something to do. */
final class InOrder {
    private final int most;
    private final Queue<Runnable> waiting = new ArrayDeque<>(); // guarded by this
    private boolean working; // guarded by this

    /** Takes at most this many things that have not begun. */
    InOrder(int most) {
        this.most = most;
    }

    /** False if too much waits already. */
    synchronized boolean run(Runnable task) {
        if (waiting.size() == most) {
            return false;
        }
        waiting.add(task);
        if (!working) {
            working = true;
            Thread.ofVirtual().name("gateway-request").start(this::work);
        }
        return true;
    }

    private void work() {
        for (var task = next(); task != null; task = next()) {
            task.run();
        }
    }

    private synchronized @Nullable Runnable next() {
        var task = waiting.poll();
        working = task != null;
        return task;
    }
}
