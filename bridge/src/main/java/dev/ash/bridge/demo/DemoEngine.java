package dev.ash.bridge.demo;

import dev.ash.bridge.engine.Engine;
import dev.ash.bridge.engine.EngineSession;
import dev.ash.bridge.engine.EngineSetup;
import dev.ash.bridge.engine.EngineSink;
import dev.ash.protocol.engine.EngineProfile;
import dev.ash.protocol.engine.EngineProfiles;
import java.util.Map;

/**
 * An engine that needs nothing: no key, no network, no model. It says so, quotes the prompt, looks
 * at the workspace with a real shell command and streams its answer, all in Claude's message
 * shapes, so that everything around an engine can be seen at work. In a session that asks, it asks
 * before the shell command.
 *
 * <p>Three prompts have a meaning of their own:
 *
 * <ul>
 *   <li>{@code demo: messages 10000} answers with that many assistant messages in one turn;
 *   <li>{@code demo: slow 50} streams that many words with a pause after each, until it is done or
 *       interrupted;
 *   <li>{@code demo: run make test} runs that command instead of its look at the workspace.
 * </ul>
 */
public final class DemoEngine implements Engine {
    static final String NAME = EngineProfiles.DEMO.name().value();

    @Override
    public EngineProfile profile() {
        return EngineProfiles.DEMO;
    }

    @Override
    public boolean canRun(Map<String, String> environment) {
        return true;
    }

    @Override
    public EngineSession open(EngineSetup setup, EngineSink sink) {
        return new DemoSession(setup, sink);
    }
}
