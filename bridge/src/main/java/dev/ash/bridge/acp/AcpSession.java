package dev.ash.bridge.acp;

import dev.ash.bridge.engine.EngineException;
import dev.ash.bridge.engine.EngineSetup;
import dev.ash.bridge.engine.EngineSink;
import dev.ash.bridge.engine.Permissions;
import dev.ash.bridge.engine.ProcessLaunch;
import dev.ash.bridge.engine.ProcessSession;
import dev.ash.bridge.engine.SharedModelEndpoint;
import dev.ash.bridge.engine.Turn;
import dev.ash.bridge.engine.UnansweredQuestions;
import dev.ash.protocol.bridge.TurnOptions;
import dev.ash.protocol.engine.EngineProfile;
import org.jspecify.annotations.Nullable;

/** A conversation with an agent; replaces its process for a model that it can only start with. */
final class AcpSession extends ProcessSession<AcpProcess> {
    private final EngineProfile profile;
    private final UnansweredQuestions unanswered = new UnansweredQuestions();
    private final SharedModelEndpoint model;
    private @Nullable AcpRules rules;

    AcpSession(EngineProfile profile, EngineSetup setup, EngineSink sink) {
        super(setup, sink);
        this.profile = profile;
        this.model = new SharedModelEndpoint(profile.provider(), setup.environment());
    }

    @Override
    public void start() throws EngineException {
        processFor(TurnOptions.NONE);
    }

    /** Not supported: an agent keeps open questions in memory only. */
    @Override
    public void continueTurn(Turn turn) throws EngineException {
        throw new EngineException(
                profile.product()
                        + " cannot continue a turn with a deferred question; send the message"
                        + " again");
    }

    @Override
    public String deferQuestion(Turn turn) throws EngineException {
        throw new EngineException(
                profile.product()
                        + " cannot defer a question; the session stays awake until it is"
                        + " answered");
    }

    @Override
    public void close() {
        super.close();
        model.close();
    }

    @Override
    protected AcpProcess processFor(TurnOptions options) throws EngineException {
        var requested = setup.model(options);
        var current = current();
        if (current != null && current.isAlive() && current.canServe(requested)) {
            return current;
        }
        if (current != null) {
            current.finish();
        }
        var started = install(start(requested));
        started.open();
        return started;
    }

    private AcpProcess start(@Nullable String requestedModel) throws EngineException {
        requireWorkspace();
        GeminiChats.keep(setup.directories().home());
        var context = AcpContext.of(profile, setup, rules(), unanswered, requestedModel);
        var launch = ProcessLaunch.of(profile, setup, model, requestedModel);
        return AcpProcess.start(launch, context, sink);
    }

    /** Determined once: an agent must not change the rules by editing its workspace. */
    private AcpRules rules() throws EngineException {
        var decided = rules;
        if (decided == null) {
            decided = AcpRules.of(profile, setup, Permissions.mode(setup));
            rules = decided;
        }
        return decided;
    }
}
