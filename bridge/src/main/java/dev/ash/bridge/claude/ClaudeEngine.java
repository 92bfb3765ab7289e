package dev.ash.bridge.claude;

import dev.ash.bridge.engine.Engine;
import dev.ash.bridge.engine.EngineSession;
import dev.ash.bridge.engine.EngineSetup;
import dev.ash.bridge.engine.EngineSink;

/** The Claude Code CLI, one process kept alive between turns. */
public final class ClaudeEngine implements Engine {
    public static final String NAME = "claude";

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public EngineSession open(EngineSetup setup, EngineSink sink) {
        return new ClaudeSession(setup, sink);
    }
}
