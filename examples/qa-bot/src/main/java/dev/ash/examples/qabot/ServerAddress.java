package dev.ash.examples.qabot;

import dev.ash.protocol.Limits;
import dev.ash.protocol.json.JsonObject;
import dev.ash.sdk.AshClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The address, API key and certificate fingerprint of the server, from the environment or from
 * {@code ~/.ash/config.json}, which {@code ash start} writes.
 */
record ServerAddress(String url, @Nullable String key, @Nullable String fingerprint) {

    static ServerAddress find(Map<String, String> env) throws IOException {
        var file = Path.of(env.getOrDefault("HOME", ""), ".ash", "config.json");
        var config = JsonObject.parse(Files.exists(file) ? Files.readString(file) : "{}");
        var url = env.get("ASH_SERVER_URL");
        var key = env.get("ASH_API_KEY");
        var fingerprint = env.get("ASH_SERVER_FINGERPRINT");
        if (fingerprint == null && url == null) {
            fingerprint = config.string("server_fingerprint").orElse(null);
        }
        return new ServerAddress(
                url != null ? url : config.string("server_url").orElse(Limits.DEFAULT_SERVER_URL),
                key != null ? key : config.string("api_key").orElse(null),
                fingerprint);
    }

    /** Creates a client that pins the server's certificate if its fingerprint is known. */
    AshClient client() {
        var client = new AshClient(url, key);
        return fingerprint == null ? client : client.pinnedTo(fingerprint);
    }
}
