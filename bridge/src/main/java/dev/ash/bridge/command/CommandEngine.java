package dev.ash.bridge.command;

import dev.ash.bridge.engine.Engine;
import dev.ash.bridge.engine.EngineSession;
import dev.ash.bridge.engine.EngineSetup;
import dev.ash.bridge.engine.EngineSink;
import dev.ash.bridge.engine.ModelEndpoint;
import dev.ash.protocol.engine.EngineProfile;
import java.util.Map;

/** An engine whose program runs once for each prompt, described by its profile alone. */
public final class CommandEngine implements Engine {
    private final EngineProfile profile;

    public CommandEngine(EngineProfile profile) {
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
        return new CommandSession(profile, setup, sink);
    }
}
