package dev.ash.bench.run;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Closes resources in reverse order, at the end of a run or when the program is terminated. Closes
 * each of them once. Guarded by its own lock.
 */
public final class Cleanup implements AutoCloseable {
    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private boolean isClosed;

    /** Closes everything also at Ctrl-C and SIGTERM. */
    public static Cleanup atExit() {
        var cleanup = new Cleanup();
        Runtime.getRuntime().addShutdownHook(new Thread(cleanup::close, "cleanup"));
        return cleanup;
    }

    public <T extends AutoCloseable> T add(T resource) {
        synchronized (this) {
            if (!isClosed) {
                open.push(resource);
                return resource;
            }
        }
        close(resource);
        throw new IllegalStateException("the program is being terminated");
    }

    /** Returns whether the program is being terminated, so that failures are expected. */
    public synchronized boolean isClosed() {
        return isClosed;
    }

    /** Closes this resource now. */
    public void release(AutoCloseable resource) {
        boolean removed;
        synchronized (this) {
            removed = open.remove(resource);
        }
        if (removed) {
            close(resource);
        }
    }

    private static void close(AutoCloseable resource) {
        try {
            resource.close();
        } catch (Exception e) {
            System.err.println("bench: cannot clean up: " + e);
        }
    }

    @Override
    public void close() {
        while (true) {
            AutoCloseable next;
            synchronized (this) {
                isClosed = true;
                next = open.poll();
            }
            if (next == null) {
                return;
            }
            close(next);
        }
    }
}
