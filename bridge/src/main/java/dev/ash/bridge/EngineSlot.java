package dev.ash.bridge;

import dev.ash.bridge.engine.EngineException;
import dev.ash.bridge.engine.EngineSession;
import dev.ash.bridge.engine.EngineSetup;
import dev.ash.bridge.engine.EngineSink;
import org.jspecify.annotations.Nullable;

/** The one engine that is open; only the thread that runs the turns opens and replaces it. */
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

    /** The open engine if it was opened for what the session is now, else a new one. */
    EngineSession engine() throws EngineException {
        var setup = session.setup();
        var name = EngineChoice.name(setup.config().engine(), setup.environment());
        var former = open();
        if (former != null && former.name().equals(name) && former.setup().equals(setup)) {
            return former.session();
        }
        if (former != null) {
            former.session().close();
        }
        return keep(new OpenEngine(name, setup, EngineChoice.engine(name).open(setup, sink)));
    }

    private synchronized @Nullable OpenEngine open() {
        return open;
    }

    private synchronized EngineSession keep(OpenEngine fresh) throws EngineException {
        open = fresh;
        if (closed) {
            throw new EngineException("The bridge is ending");
        }
        return fresh.session();
    }

    /** Null while none was opened. */
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
