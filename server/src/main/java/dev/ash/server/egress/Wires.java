package dev.ash.server.egress;

import java.io.IOException;
import java.util.HashSet;
import java.util.Set;

/** Every connection of one sandbox, on both sides, so that all end at once. */
final class Wires implements AutoCloseable {
    private final Set<Wire> open = new HashSet<>();
    private boolean closed;

    synchronized Wire add(Wire wire) throws IOException {
        if (closed) {
            wire.close();
            throw new IOException("the sandbox has ended");
        }
        open.add(wire);
        return wire;
    }

    void end(Wire wire) {
        wire.close();
        synchronized (this) {
            open.remove(wire);
        }
    }

    synchronized boolean closed() {
        return closed;
    }

    @Override
    public synchronized void close() {
        closed = true;
        open.forEach(Wire::close);
        open.clear();
    }
}
