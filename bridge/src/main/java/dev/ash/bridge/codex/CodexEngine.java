package dev.ash.bridge.codex;

import dev.ash.bridge.engine.Engine;
import dev.ash.bridge.engine.EngineSession;
import dev.ash.bridge.engine.EngineSetup;
import dev.ash.bridge.engine.EngineSink;

/** The Codex CLI as an app server, one process kept alive between turns. */
public final class CodexEngine implements Engine {
    public static final String NAME = "codex";

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public EngineSession open(EngineSetup setup, EngineSink sink) {
        return new CodexSession(setup, sink);
    }
}
