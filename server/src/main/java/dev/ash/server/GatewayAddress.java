package dev.ash.server;

import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.server.gateway.AddressSetting;
import dev.ash.server.store.PrivateFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Stores the gateway's address in {@code config.json}, preserving all other settings there. */
record GatewayAddress(Path file, Map<String, String> environment) implements AddressSetting {
    private static final String HOST = "ASH_GATEWAY_HOST";
    private static final String PORT = "ASH_GATEWAY_PORT";

    static GatewayAddress in(ServerConfig config) {
        return new GatewayAddress(config.dataDir().resolve("config.json"), config.environment());
    }

    @Override
    public Optional<String> save(String host, Optional<Integer> port) throws IOException {
        if (Files.isSymbolicLink(file)) {
            throw new IOException(
                    file + " is a symbolic link; set " + HOST + " in the file that it points to");
        }
        var changes = new HashMap<String, String>();
        changes.put(HOST, host);
        port.ifPresent(number -> changes.put(PORT, number.toString()));
        var json = JsonWriter.object();
        if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            var settings = JsonObject.parse(Files.readString(file));
            for (var name : settings.names()) {
                if (!changes.containsKey(name)) {
                    json.put(name, settings.raw(name).orElse(null));
                }
            }
        }
        changes.forEach(json::put);
        PrivateFile.write(file, (json.end() + "\n").getBytes(StandardCharsets.UTF_8));
        return changes.keySet().stream()
                .filter(environment::containsKey)
                .findFirst()
                .map(
                        name ->
                                "%s is set in the server's environment and takes precedence after a restart; remove it there"
                                        .formatted(name));
    }
}
