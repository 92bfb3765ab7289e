package dev.ash.bridge.codex;

import dev.ash.bridge.engine.EngineException;
import dev.ash.bridge.engine.EngineSetup;
import dev.ash.bridge.engine.EngineSink;
import dev.ash.bridge.engine.Permissions;
import dev.ash.bridge.engine.ProcessSession;
import dev.ash.bridge.engine.Programs;
import dev.ash.bridge.engine.SharedModelEndpoint;
import dev.ash.bridge.engine.Turn;
import dev.ash.bridge.engine.UnansweredQuestions;
import dev.ash.protocol.bridge.TurnOptions;
import dev.ash.protocol.engine.EngineProfiles;
import dev.ash.protocol.engine.ModelProvider;
import dev.ash.protocol.json.RawJson;
import org.jspecify.annotations.Nullable;

/** A conversation with the CLI, and the endpoint of the model that its processes share. */
final class CodexSession extends ProcessSession<CodexProcess> {
    private final UnansweredQuestions unanswered = new UnansweredQuestions();
    private final SharedModelEndpoint model;
    private @Nullable CodexLaunch launch;

    CodexSession(EngineSetup setup, EngineSink sink) {
        super(setup, sink);
        this.model = new SharedModelEndpoint(ModelProvider.OPENAI, setup.environment());
    }

    @Override
    public void start() throws EngineException {
        processFor(TurnOptions.NONE);
    }

    /** Not supported: Codex keeps open questions in memory only. */
    @Override
    public void continueTurn(Turn turn) throws EngineException {
        throw new EngineException(
                "Codex cannot continue a turn with a deferred question; send the message again");
    }

    @Override
    public String deferQuestion(Turn turn) throws EngineException {
        throw new EngineException(
                "Codex cannot defer a question; the session stays awake until it is answered");
    }

    @Override
    public void steer(Turn turn, RawJson prompt) throws EngineException {
        var current = current();
        if (current == null) {
            throw new EngineException("The turn is not running");
        }
        current.steer(turn, prompt);
    }

    @Override
    public void close() {
        super.close();
        model.close();
    }

    @Override
    protected CodexProcess processFor(TurnOptions options) throws EngineException {
        var current = current();
        if (current != null && current.isAlive()) {
            return current;
        }
        if (current != null) {
            current.finish();
        }
        var started = install(start(launch()));
        started.open(OpenThreadRequest.of(setup));
        return started;
    }

    private CodexProcess start(CodexLaunch requested) throws EngineException {
        var program = Programs.require(setup.environment(), EngineProfiles.CODEX);
        requireWorkspace();
        CodexHome.of(setup).prepare();
        return CodexProcess.start(
                requested.command(program, model.get()), requested, unanswered, sink);
    }

    /** Determined once: an agent must not change the rules by editing its workspace. */
    private CodexLaunch launch() throws EngineException {
        var decided = launch;
        if (decided == null) {
            decided = CodexLaunch.of(setup, CodexRules.of(setup, Permissions.mode(setup)));
            launch = decided;
        }
        return decided;
    }
}
