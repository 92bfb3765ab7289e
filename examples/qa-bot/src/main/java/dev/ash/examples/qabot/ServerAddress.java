package dev.ash.examples.qabot;

import dev.ash.protocol.Limits;
import dev.ash.protocol.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Where the server is: by the environment, or by what {@code ash start} wrote down. */
record ServerAddress(String url, @Nullable String key) {

    static ServerAddress find(Map<String, String> env) throws IOException {
        var file = Path.of(env.getOrDefault("HOME", ""), ".ash", "config.json");
        var config = JsonObject.parse(Files.exists(file) ? Files.readString(file) : "{}");
        var url = env.get("ASH_SERVER_URL");
        var key = env.get("ASH_API_KEY");
        return new ServerAddress(
                url != null ? url : config.string("server_url").orElse(Limits.DEFAULT_SERVER_URL),
                key != null ? key : config.string("api_key").orElse(null));
    }
}
