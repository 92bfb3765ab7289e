package dev.ash.server.agent;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Optional;

/**
 * What an agent asks for in its {@code .ash/agent.json}, overlaid by the configuration that was set
 * over the API.
 */
public record AgentSettings(
        Optional<String> engine,
        Optional<String> model,
        Optional<String> permissionMode,
        Optional<String> systemPromptMode,
        boolean hasPermissionRules,
        Optional<Integer> preWarmCount) {

    private static final int MAX_BYTES = 1024 * 1024;
    private static final int MAX_WARM = 100;

    public static AgentSettings of(DeployedAgent agent) {
        try {
            var overlay = JsonObject.parse(agent.config());
            var file = read(agent.folder().resolve(".ash/agent.json"));
            return new AgentSettings(
                    setting(overlay, file, "engine"),
                    setting(overlay, file, "model"),
                    setting(overlay, file, "permissionMode"),
                    setting(overlay, file, "systemPrompt"),
                    read(agent.folder().resolve(".claude/settings.json"))
                            .object("permissions")
                            .isPresent(),
                    preWarmCount(overlay, file));
        } catch (IOException e) {
            throw new ApiException(
                    ErrorCode.AGENT_UNUSABLE,
                    "The configuration of agent \"%s\" cannot be used: %s"
                            .formatted(agent.name(), e.getMessage()),
                    e);
        }
    }

    private static Optional<String> setting(JsonObject overlay, JsonObject file, String name)
            throws MalformedJsonException {
        var value = overlay.string(name);
        return value.isPresent() ? value : file.string(name);
    }

    private static Optional<Integer> preWarmCount(JsonObject overlay, JsonObject file)
            throws IOException {
        var count = overlay.integer("preWarmCount");
        count = count.isPresent() ? count : file.integer("preWarmCount");
        if (count.isPresent() && (count.getAsInt() < 0 || count.getAsInt() > MAX_WARM)) {
            throw new IOException("preWarmCount must be 0 to " + MAX_WARM);
        }
        return count.isPresent() ? Optional.of(count.getAsInt()) : Optional.empty();
    }

    private static JsonObject read(Path file) throws IOException {
        if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            return JsonObject.parse(RawJson.EMPTY_OBJECT);
        }
        if (Files.size(file) > MAX_BYTES) {
            throw new IOException(file.getFileName() + " has more than 1 MiB");
        }
        try {
            return JsonObject.parse(new RawJson(Files.readAllBytes(file)));
        } catch (MalformedJsonException e) {
            throw new IOException(file.getFileName() + " is not valid JSON: " + e.getMessage(), e);
        }
    }
}
