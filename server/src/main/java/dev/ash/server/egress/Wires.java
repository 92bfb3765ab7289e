package dev.ash.server.egress;

import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/** Every connection of one sandbox, on both sides, so that all end at once. */
final class Wires implements AutoCloseable {
    /**
     * In the order in which they were opened: a client closes before the host that serves it. A
     * host that sees its connection end first may answer, and the answer would reach the client.
     */
    private final Set<Wire> open = new LinkedHashSet<>();

    private final Map<Wire, Duration> outliving = new HashMap<>();
    private boolean closed;

    synchronized Wire add(Wire wire) throws IOException {
        requireOpen(wire);
        open.add(wire);
        return wire;
    }

    /** Adds a connection that stays open for {@code time} after the sandbox has ended. */
    synchronized Wire addOutliving(Wire wire, Duration time) throws IOException {
        requireOpen(wire);
        outliving.put(wire, time);
        return wire;
    }

    private void requireOpen(Wire wire) throws IOException {
        if (closed) {
            wire.close();
            throw new IOException("the sandbox has ended");
        }
    }

    void end(Wire wire) {
        wire.close();
        remove(wire);
    }

    synchronized void remove(Wire wire) {
        open.remove(wire);
        outliving.remove(wire);
    }

    synchronized boolean closed() {
        return closed;
    }

    @Override
    public synchronized void close() {
        closed = true;
        open.forEach(Wire::close);
        open.clear();
        outliving.forEach((wire, time) -> wire.deadline().within(time));
        outliving.clear();
    }
}
