package dev.ash.bridge.codex;

import dev.ash.bridge.engine.EngineException;
import dev.ash.bridge.engine.EngineSetup;
import dev.ash.bridge.engine.EngineSink;
import dev.ash.bridge.engine.Permissions;
import dev.ash.bridge.engine.ProcessSession;
import dev.ash.bridge.engine.Programs;
import dev.ash.bridge.engine.Turn;
import dev.ash.protocol.bridge.TurnOptions;
import dev.ash.protocol.engine.EngineProfiles;
import org.jspecify.annotations.Nullable;

/** A conversation with the CLI, and the way to the model that its processes share. */
final class CodexSession extends ProcessSession<CodexProcess> {
    private final LostQuestions lost = new LostQuestions();
    private @Nullable CodexLaunch launch;
    private @Nullable ModelEndpoint model;

    CodexSession(EngineSetup setup, EngineSink sink) {
        super(setup, sink);
    }

    @Override
    public void start() throws EngineException {
        ready(TurnOptions.NONE);
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
    public void close() {
        super.close();
        closeModel();
    }

    @Override
    protected CodexProcess ready(TurnOptions options) throws EngineException {
        var current = current();
        if (current != null && current.alive()) {
            return current;
        }
        if (current != null) {
            current.finish();
        }
        var fresh = keep(start(launch()));
        fresh.open(ThreadRequest.of(setup));
        return fresh;
    }

    private CodexProcess start(CodexLaunch wanted) throws EngineException {
        var program = Programs.require(setup.environment(), EngineProfiles.CODEX);
        requireWorkspace();
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
