package dev.ash.bridge.engine;

import dev.ash.protocol.engine.ModelProvider;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The endpoint of the model for all processes of one session, opened at its first use. */
public final class SharedModelEndpoint implements AutoCloseable {
    private final ModelProvider provider;
    private final Map<String, String> environment;
    private @Nullable ModelEndpoint open;

    public SharedModelEndpoint(ModelProvider provider, Map<String, String> environment) {
        this.provider = provider;
        this.environment = environment;
    }

    public synchronized ModelEndpoint get() throws EngineException {
        var endpoint = open;
        if (endpoint == null) {
            endpoint = ModelEndpoint.open(provider, environment);
            open = endpoint;
        }
        return endpoint;
    }

    @Override
    public synchronized void close() {
        if (open != null) {
            open.close();
        }
    }
}
