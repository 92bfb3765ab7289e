package dev.ash.bridge.engine;

import dev.ash.bridge.relay.EgressRelay;
import dev.ash.protocol.engine.ModelProvider;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The address of the model's API for an engine that supports only URLs. In a sandbox, the socket of
 * the proxy is relayed to a port on loopback; outside, it is the provider's variable or its public
 * API.
 *
 * @param origin the URL without the path of the API, such as {@code http://127.0.0.1:4567}
 * @param openAiUrl the base URL of the API in the form that the tools of OpenAI expect
 * @param keyVariable the name of the variable that contains the key; empty if there is none
 */
public record ModelEndpoint(
        String origin, String openAiUrl, String keyVariable, @Nullable EgressRelay relay)
        implements AutoCloseable {

    private static final String SOCKET = "ASH_MODEL_SOCKET";
    private static final String PLACEHOLDER = "ASH_MODEL_KEY";
    private static final String VERSION = "/v1";

    public static ModelEndpoint open(ModelProvider provider, Map<String, String> environment)
            throws EngineException {
        var socket = environment.getOrDefault(SOCKET, "");
        var variable = keyVariable(provider, environment);
        if (socket.isEmpty()) {
            var url = publicUrl(provider, environment);
            return new ModelEndpoint(
                    withoutVersion(url),
                    provider == ModelProvider.OPENAI ? url : url + VERSION,
                    variable,
                    null);
        }
        try {
            var relay = EgressRelay.open(Path.of(socket), 0);
            var origin = "http://127.0.0.1:" + relay.port();
            return new ModelEndpoint(origin, origin + VERSION, variable, relay);
        } catch (IOException e) {
            throw new EngineException("Cannot open the relay to the model: " + e.getMessage());
        }
    }

    private static String publicUrl(ModelProvider provider, Map<String, String> environment) {
        return switch (provider) {
            case ANTHROPIC ->
                    nonEmpty(environment, "ANTHROPIC_BASE_URL", "https://api.anthropic.com");
            case OPENAI -> nonEmpty(environment, "OPENAI_BASE_URL", "https://api.openai.com/v1");
            case GOOGLE ->
                    nonEmpty(
                            environment,
                            "GOOGLE_GEMINI_BASE_URL",
                            "https://generativelanguage.googleapis.com");
        };
    }

    private static String nonEmpty(Map<String, String> environment, String name, String fallback) {
        var value = environment.getOrDefault(name, "");
        return value.isEmpty() ? fallback : value;
    }

    private static String withoutVersion(String url) {
        return url.endsWith(VERSION) ? url.substring(0, url.length() - VERSION.length()) : url;
    }

    /** Returns the key, which is a placeholder in a sandbox; empty if there is none. */
    public static String key(ModelProvider provider, Map<String, String> environment) {
        return environment.getOrDefault(keyVariable(provider, environment), "");
    }

    /** In a sandbox, the placeholder of the key has a variable of its own for all providers. */
    private static String keyVariable(ModelProvider provider, Map<String, String> environment) {
        if (!environment.getOrDefault(PLACEHOLDER, "").isEmpty()) {
            return PLACEHOLDER;
        }
        for (var name : provider.credentialVariables()) {
            if (!environment.getOrDefault(name, "").isEmpty()) {
                return name;
            }
        }
        return provider.keyVariable();
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
