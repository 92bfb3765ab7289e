package dev.ash.bridge.acp;

import dev.ash.bridge.engine.Engine;
import dev.ash.bridge.engine.EngineSession;
import dev.ash.bridge.engine.EngineSetup;
import dev.ash.bridge.engine.EngineSink;
import dev.ash.bridge.engine.ModelEndpoint;
import dev.ash.protocol.engine.EngineProfile;
import java.util.Map;

/** An engine that implements the Agent Client Protocol, described by its profile alone. */
public final class AcpEngine implements Engine {
    private final EngineProfile profile;

    public AcpEngine(EngineProfile profile) {
        this.profile = profile;
    }

    @Override
    public EngineProfile profile() {
        return profile;
    }

    @Override
    public boolean hasCredential(Map<String, String> environment) {
        return !ModelEndpoint.key(profile.provider(), environment).isEmpty();
    }

    @Override
    public EngineSession open(EngineSetup setup, EngineSink sink) {
        return new AcpSession(profile, setup, sink);
    }
}
