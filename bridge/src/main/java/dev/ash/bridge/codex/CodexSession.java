package dev.ash.bridge.codex;

import dev.ash.bridge.engine.EngineException;
import dev.ash.bridge.engine.EngineSession;
import dev.ash.bridge.engine.EngineSetup;
import dev.ash.bridge.engine.EngineSink;
import dev.ash.bridge.engine.Permissions;
import dev.ash.bridge.engine.Turn;
import dev.ash.protocol.bridge.BridgeCommand.Approve;
import java.nio.file.Files;
import org.jspecify.annotations.Nullable;

/**
 * A conversation with the CLI over as many processes as it takes: one is kept between turns, and
 * replaced when it died. The thread that prompts owns {@code process}; others only read it.
 */
final class CodexSession implements EngineSession {
    private final EngineSetup setup;
    private final EngineSink sink;
    private final LostQuestions lost = new LostQuestions();
    private @Nullable CodexLaunch launch;
    private @Nullable ModelEndpoint model;
    private volatile @Nullable CodexProcess process;
    private volatile boolean closed;

    CodexSession(EngineSetup setup, EngineSink sink) {
        this.setup = setup;
        this.sink = sink;
    }

    @Override
    public void start() throws EngineException {
        ready();
    }

    @Override
    public void prompt(Turn turn) throws EngineException {
        boolean taken;
        do {
            taken = ready().prompt(turn);
        } while (!taken);
    }

    /** What it waits for it holds in memory alone, so nothing can have been laid aside. */
    @Override
    public void continueTurn(Turn turn) throws EngineException {
        throw new EngineException(
                "Codex cannot go on with a turn that was put aside; send the message again");
    }

    @Override
    public String layAside(Turn turn) throws EngineException {
        throw new EngineException(
                "Codex cannot lay a question aside; it stays awake until there is an answer");
    }

    @Override
    public void rest() throws EngineException {
        var current = process;
        if (current != null && current.alive()) {
            current.rest();
        }
    }

    @Override
    public void interrupt(Turn turn) {
        var current = process;
        if (current != null) {
            current.interrupt(turn);
        }
    }

    @Override
    public void answer(Approve decision) {
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
        closeModel();
    }

    private CodexProcess ready() throws EngineException {
        var current = process;
        if (current != null && current.alive()) {
            return current;
        }
        if (current != null) {
            current.finish();
        }
        var fresh = start(launch());
        process = fresh;
        if (closed) {
            fresh.finish();
        }
        fresh.open(ThreadRequest.of(setup));
        return fresh;
    }

    private CodexProcess start(CodexLaunch wanted) throws EngineException {
        var program = CodexProgram.require(setup.environment());
        if (!Files.isDirectory(setup.folders().workspace())) {
            throw new EngineException(
                    "The workspace " + setup.folders().workspace() + " is not a folder");
        }
        CodexHome.of(setup).prepare();
        return CodexProcess.start(wanted.command(program, model()), wanted, lost, sink);
    }

    /** Decided once: an agent that edits the rules in its workspace does not change them. */
    private CodexLaunch launch() throws EngineException {
        var decided = launch;
        if (decided == null) {
            decided = CodexLaunch.of(setup, CodexRules.of(setup, Permissions.of(setup)));
            launch = decided;
        }
        return decided;
    }

    private synchronized ModelEndpoint model() throws EngineException {
        var open = model;
        if (open == null) {
            open = ModelEndpoint.open(setup.environment());
            model = open;
        }
        return open;
    }

    private synchronized void closeModel() {
        if (model != null) {
            model.close();
        }
    }
}
