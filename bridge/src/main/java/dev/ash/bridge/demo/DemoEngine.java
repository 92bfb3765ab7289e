package dev.ash.bridge.demo;

import dev.ash.bridge.engine.Engine;
import dev.ash.bridge.engine.EngineSession;
import dev.ash.bridge.engine.EngineSetup;
import dev.ash.bridge.engine.EngineSink;
import dev.ash.protocol.engine.EngineProfile;
import dev.ash.protocol.engine.EngineProfiles;
import java.util.Map;

/**
 * The driver of the demo, an engine without key, network or model, to demonstrate Ash. It quotes
 * the prompt, lists the workspace with a real shell command and streams its answer in the message
 * format of Claude Code. In the permission mode {@code ask}, it asks before the shell command.
 *
 * <p>Three prompts have a special meaning:
 *
 * <ul>
 *   <li>{@code demo: messages 10000} sends that many assistant messages in one turn;
 *   <li>{@code demo: slow 50} streams that many words with a pause after each;
 *   <li>{@code demo: run make test} runs that command instead of listing the workspace.
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
