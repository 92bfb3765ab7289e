package dev.ash.bridge;

import dev.ash.bridge.engine.Conversation;
import dev.ash.bridge.engine.EngineSetup;
import dev.ash.protocol.bridge.EngineConfig;
import java.util.HashMap;
import java.util.Map;

/** Whose session this is and how it wants its engine, as far as the server has said by now. */
final class BridgeSession {
    private final BridgeSettings settings;
    private final Conversation conversation;
    private String id;
    private EngineConfig config = EngineConfig.NONE;

    BridgeSession(BridgeSettings settings) {
        this.settings = settings;
        this.conversation = Conversation.load(settings.folders().state());
        this.id = settings.sessionId();
    }

    synchronized void configure(String sessionId, EngineConfig wanted) {
        id = sessionId;
        config = wanted;
    }

    /** Every command for the engine names its session. */
    synchronized void is(String sessionId) {
        id = sessionId;
    }

    synchronized String id() {
        return id;
    }

    /** What engine and shell commands see. */
    synchronized Map<String, String> environment() {
        var environment = new HashMap<>(settings.environment());
        environment.putAll(config.env());
        if (!id.isEmpty()) {
            environment.put("ASH_SESSION_ID", id);
        }
        return environment;
    }

    synchronized String engineName() {
        return EngineChoice.name(config.engine(), environment());
    }

    synchronized EngineSetup setup() {
        return new EngineSetup(id, config, settings.folders(), environment(), conversation);
    }
}
