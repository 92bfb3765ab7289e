package dev.ash.bridge.codex;

import dev.ash.bridge.engine.Engine;
import dev.ash.bridge.engine.EngineSession;
import dev.ash.bridge.engine.EngineSetup;
import dev.ash.bridge.engine.EngineSink;
import dev.ash.protocol.engine.EngineProfile;
import dev.ash.protocol.engine.EngineProfiles;
import java.util.Map;

/** The Codex CLI as an app server, one process kept alive between turns. */
public final class CodexEngine implements Engine {
    static final String NAME = EngineProfiles.CODEX.name().value();

    @Override
    public EngineProfile profile() {
        return EngineProfiles.CODEX;
    }

    /** A sandbox has its key under a name of Ash. */
    @Override
    public boolean hasCredential(Map<String, String> environment) {
        return !ModelEndpoint.key(environment).isEmpty();
    }

    @Override
    public EngineSession open(EngineSetup setup, EngineSink sink) {
        return new CodexSession(setup, sink);
    }
}
