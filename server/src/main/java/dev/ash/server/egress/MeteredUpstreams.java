package dev.ash.server.egress;

import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;

/**
 * The upstream connections of all calls that cost. They outlive their client and their sandbox
 * until the answer shows what the call used, within a time limit.
 */
final class MeteredUpstreams implements AutoCloseable {
    /** Time for cut calls to be settled when the server stops. */
    private static final Duration SETTLING = Duration.ofSeconds(2);

    private final Set<Wire> open = new HashSet<>();
    private boolean closed;

    synchronized Wire add(Wire upstream) throws IOException {
        if (closed) {
            upstream.close();
            throw new IOException("the server is shutting down");
        }
        open.add(upstream);
        return upstream;
    }

    /** To be called once the call is settled. */
    void end(Wire upstream) {
        upstream.close();
        synchronized (this) {
            open.remove(upstream);
            notifyAll();
        }
    }

    /** Cuts all of them and waits until their calls are settled. */
    @Override
    public synchronized void close() {
        closed = true;
        open.forEach(Wire::close);
        long deadline = System.nanoTime() + SETTLING.toNanos();
        try {
            for (long left = SETTLING.toMillis();
                    !open.isEmpty() && left > 0;
                    left = Duration.ofNanos(deadline - System.nanoTime()).toMillis()) {
                wait(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
