package dev.ash.bridge.engine;

import dev.ash.protocol.bridge.BridgeCommand.Approve;
import dev.ash.protocol.bridge.TurnOptions;
import java.nio.file.Files;
import org.jspecify.annotations.Nullable;

/**
 * A conversation with an engine that runs as a process: the process is kept between turns and
 * replaced after an exit. Only the thread that prompts replaces the process; others read it.
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

    /** Returns a process for a turn with these options: the current one, or a new one. */
    protected abstract P processFor(TurnOptions options) throws EngineException;

    protected final @Nullable P current() {
        return process;
    }

    /** Makes a started process the current one; terminates it if the session is closed. */
    protected final P install(P started) {
        process = started;
        if (closed) {
            started.finish();
        }
        return started;
    }

    protected final void requireWorkspace() throws EngineException {
        var workspace = setup.directories().workspace();
        if (!Files.isDirectory(workspace)) {
            throw new EngineException("The workspace " + workspace + " is not a directory");
        }
    }

    @Override
    public final void prompt(Turn turn) throws EngineException {
        boolean started;
        do {
            started = processFor(turn.options()).prompt(turn);
        } while (!started);
    }

    @Override
    public final void rest() throws EngineException {
        var current = process;
        if (current != null && current.isAlive()) {
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
