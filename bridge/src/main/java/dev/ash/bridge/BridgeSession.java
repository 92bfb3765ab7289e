package dev.ash.bridge;

import dev.ash.bridge.engine.Conversation;
import dev.ash.bridge.engine.EngineSetup;
import dev.ash.protocol.bridge.EngineConfig;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The current session id and engine configuration, as sent by the server. Thread-safe. */
final class BridgeSession {
    private final BridgeSettings settings;
    private final Conversation conversation;
    private String id;
    private EngineConfig config = EngineConfig.NONE;
    private @Nullable EngineSetup setup; // null after a change

    BridgeSession(BridgeSettings settings) {
        this.settings = settings;
        this.conversation = Conversation.load(settings.directories().state());
        this.id = settings.sessionId();
    }

    synchronized void configure(String sessionId, EngineConfig newConfig) {
        id = sessionId;
        config = newConfig;
        setup = null;
    }

    /** Called for every command to the engine, which contains the session id. */
    synchronized void setId(String sessionId) {
        if (!sessionId.equals(id)) {
            id = sessionId;
            setup = null;
        }
    }

    synchronized String id() {
        return id;
    }

    /** Returns the environment of the engine and of shell commands. */
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

    /** Returns the same object until the id or the configuration changes. */
    synchronized EngineSetup setup() {
        var current = setup;
        if (current == null) {
            current =
                    new EngineSetup(
                            id, config, settings.directories(), environment(), conversation);
            setup = current;
        }
        return current;
    }
}
