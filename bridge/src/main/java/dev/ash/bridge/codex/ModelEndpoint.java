package dev.ash.bridge.codex;

import dev.ash.bridge.engine.EngineException;
import dev.ash.bridge.relay.EgressRelay;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The URL of the model's API for the CLI. The CLI supports only URLs, so the socket of a sandbox is
 * relayed to a port on loopback. Outside a sandbox it is {@code OPENAI_BASE_URL} or OpenAI's API.
 *
 * @param keyVariable the name of the variable that contains the key
 */
record ModelEndpoint(String baseUrl, String keyVariable, @Nullable EgressRelay relay)
        implements AutoCloseable {

    private static final String SOCKET = "ASH_MODEL_SOCKET";
    private static final String PLACEHOLDER = "ASH_MODEL_KEY";
    private static final String KEY = "OPENAI_API_KEY";

    static ModelEndpoint open(Map<String, String> environment) throws EngineException {
        var socket = environment.getOrDefault(SOCKET, "");
        if (socket.isEmpty()) {
            var url = environment.getOrDefault("OPENAI_BASE_URL", "");
            return new ModelEndpoint(url.isEmpty() ? "https://api.openai.com/v1" : url, KEY, null);
        }
        try {
            var relay = EgressRelay.open(Path.of(socket), 0);
            var url = "http://127.0.0.1:%d/v1".formatted(relay.port());
            return new ModelEndpoint(url, PLACEHOLDER, relay);
        } catch (IOException e) {
            throw new EngineException("Cannot open the relay to the model: " + e.getMessage());
        }
    }

    static String key(Map<String, String> environment) {
        var placeholder = environment.getOrDefault(PLACEHOLDER, "");
        return placeholder.isEmpty() ? environment.getOrDefault(KEY, "") : placeholder;
    }

    @Override
    public void close() {
        if (relay != null) {
            try {
                relay.close();
            } catch (IOException e) {
                // nothing to do
            }
        }
    }
}
