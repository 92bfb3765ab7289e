package dev.ash.bridge.codex;

import dev.ash.bridge.engine.Engine;
import dev.ash.bridge.engine.EngineSession;
import dev.ash.bridge.engine.EngineSetup;
import dev.ash.bridge.engine.EngineSink;
import dev.ash.bridge.engine.ModelEndpoint;
import dev.ash.protocol.engine.EngineProfile;
import dev.ash.protocol.engine.EngineProfiles;
import dev.ash.protocol.engine.ModelProvider;
import java.util.Map;

/** The driver of Codex: runs its CLI as an app server, one process that is kept between turns. */
public final class CodexEngine implements Engine {
    static final String NAME = EngineProfiles.CODEX.name().value();

    @Override
    public EngineProfile profile() {
        return EngineProfiles.CODEX;
    }

    /** In a sandbox, the placeholder of the key has a variable of its own. */
    @Override
    public boolean hasCredential(Map<String, String> environment) {
        return !ModelEndpoint.key(ModelProvider.OPENAI, environment).isEmpty();
    }

    @Override
    public EngineSession open(EngineSetup setup, EngineSink sink) {
        return new CodexSession(setup, sink);
    }
}
