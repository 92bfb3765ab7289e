package dev.ash.bridge;

import dev.ash.bridge.engine.EngineException;
import dev.ash.bridge.engine.EngineSession;
import dev.ash.bridge.engine.EngineSetup;
import dev.ash.bridge.engine.EngineSink;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Holds the open engine session; only the thread that runs the turns opens and replaces it. */
final class EngineSlot implements AutoCloseable {
    private final BridgeSession session;
    private final EngineSink sink;
    private @Nullable OpenEngine open;
    private boolean closed;

    private record OpenEngine(String name, EngineSetup setup, EngineSession session) {}

    EngineSlot(BridgeSession session, EngineSink sink) {
        this.session = session;
        this.sink = sink;
    }

    /** Returns the open engine session if it matches the current setup, otherwise a new one. */
    EngineSession engine() throws EngineException {
        var setup = session.setup();
        var name = EngineChoice.name(setup.config().engine(), setup.environment());
        var previous = open();
        if (previous != null
                && previous.name().equals(name)
                && Objects.equals(previous.setup(), setup)) { // usually the same object
            return previous.session();
        }
        if (previous != null) {
            previous.session().close();
        }
        return install(
                new OpenEngine(
                        name,
                        setup,
                        EngineChoice.engine(name, setup.environment()).open(setup, sink)));
    }

    private synchronized @Nullable OpenEngine open() {
        return open;
    }

    private synchronized EngineSession install(OpenEngine opened) throws EngineException {
        open = opened;
        if (closed) {
            throw new EngineException("The bridge is shutting down");
        }
        return opened.session();
    }

    /** Returns the open engine session, or null. */
    synchronized @Nullable EngineSession current() {
        return open == null ? null : open.session();
    }

    @Override
    public void close() {
        EngineSession last;
        synchronized (this) {
            closed = true;
            last = current();
        }
        if (last != null) {
            last.close();
        }
    }
}
