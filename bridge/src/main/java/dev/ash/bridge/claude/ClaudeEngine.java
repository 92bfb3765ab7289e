package dev.ash.bridge.claude;

import dev.ash.bridge.engine.Engine;
import dev.ash.bridge.engine.EngineSession;
import dev.ash.bridge.engine.EngineSetup;
import dev.ash.bridge.engine.EngineSink;
import dev.ash.protocol.engine.EngineProfile;
import dev.ash.protocol.engine.EngineProfiles;

/** The driver of Claude Code: runs its CLI as one process that is kept between turns. */
public final class ClaudeEngine implements Engine {
    static final String NAME = EngineProfiles.CLAUDE.name().value();

    @Override
    public EngineProfile profile() {
        return EngineProfiles.CLAUDE;
    }

    @Override
    public EngineSession open(EngineSetup setup, EngineSink sink) {
        return new ClaudeSession(setup, sink);
    }
}
