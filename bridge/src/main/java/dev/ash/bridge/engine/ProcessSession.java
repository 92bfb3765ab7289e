package dev.ash.bridge.engine;

import dev.ash.protocol.bridge.BridgeCommand.Approve;
import dev.ash.protocol.bridge.TurnOptions;
import java.nio.file.Files;
import org.jspecify.annotations.Nullable;

/**
 * A conversation with an engine over as many processes as it takes: one is kept between turns, and
 * replaced when it died. The thread that prompts owns the process; others only read it.
 */
public abstract class ProcessSession<P extends EngineProcess<?>> implements EngineSession {
    protected final EngineSetup setup;
    protected final EngineSink sink;
    private volatile @Nullable P process;
    private volatile boolean closed;

    protected ProcessSession(EngineSetup setup, EngineSink sink) {
        this.setup = setup;
        this.sink = sink;
    }

    /** A process that serves a turn with these options: the present one, or another. */
    protected abstract P ready(TurnOptions options) throws EngineException;

    protected final @Nullable P current() {
        return process;
    }

    /** Makes a fresh process the present one; it ends at once where the session was closed. */
    protected final P keep(P fresh) {
        process = fresh;
        if (closed) {
            fresh.finish();
        }
        return fresh;
    }

    protected final void requireWorkspace() throws EngineException {
        var workspace = setup.folders().workspace();
        if (!Files.isDirectory(workspace)) {
            throw new EngineException("The workspace " + workspace + " is not a folder");
        }
    }

    @Override
    public final void prompt(Turn turn) throws EngineException {
        boolean taken;
        do {
            taken = ready(turn.options()).prompt(turn);
        } while (!taken);
    }

    @Override
    public final void rest() throws EngineException {
        var current = process;
        if (current != null && current.alive()) {
            current.rest();
        }
    }

    @Override
    public final void interrupt(Turn turn) {
        var current = process;
        if (current != null) {
            current.interrupt(turn);
        }
    }

    @Override
    public final void answer(Approve decision) {
        var current = process;
        if (current != null) {
            current.answer(decision);
        }
    }

    @Override
    public void close() {
        closed = true;
        var current = process;
        if (current != null) {
            current.finish();
        }
    }
}
