package dev.ash.server.agent;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.engine.CloudPlatform;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import dev.ash.protocol.rest.ResourceLimits;
import dev.ash.server.egress.model.request.ProviderTools;
import dev.ash.server.http.Json;
import dev.ash.server.isolation.IsolationRequest;
import dev.ash.server.isolation.NetworkRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;

/**
 * The settings of an agent: its file {@code .ash/agent.json}, overridden by the configuration that
 * was set through the API.
 */
public record AgentSettings(
        Optional<String> engine,
        Optional<String> model,
        Optional<String> permissionMode,
        Optional<String> systemPromptMode,
        boolean hasPermissionRules,
        Optional<Integer> preWarmCount,
        IsolationRequest isolation) {

    private static final int MAX_BYTES = 1024 * 1024;
    private static final int MAX_WARM = 100;

    public static AgentSettings of(DeployedAgent agent) {
        try {
            var overlay = JsonObject.parse(agent.config());
            var file = read(agent.directory().resolve(".ash/agent.json"));
            var claude = read(agent.directory().resolve(".claude/settings.json"));
            requireNoCloudPlatform(claude);
            var permissions = claude.object("permissions");
            return new AgentSettings(
                    setting(overlay, file, "engine"),
                    setting(overlay, file, "model"),
                    setting(overlay, file, "permissionMode"),
                    setting(overlay, file, "systemPrompt"),
                    permissions.isPresent(),
                    preWarmCount(overlay, file),
                    isolation(overlay, file, permissions));
        } catch (IOException e) {
            throw new ApiException(
                    ErrorCode.AGENT_UNUSABLE,
                    "The configuration of agent \"%s\" is invalid: %s"
                            .formatted(agent.name(), e.getMessage()),
                    e);
        }
    }

    /** Claude Code sets these variables for itself. */
    private static void requireNoCloudPlatform(JsonObject claude) throws IOException {
        var env = claude.object("env");
        if (env.isPresent()) {
            var variables = new HashMap<String, String>();
            for (var name : env.get().names()) {
                variables.put(name, env.get().string(name).orElse(""));
            }
            var rejection = CloudPlatform.rejection(variables);
            if (rejection.isPresent()) {
                throw new IOException("env in .claude/settings.json: " + rejection.get());
            }
        }
    }

    /** Returns the provider tools that the files of an agent request. */
    public static List<String> providerTools(Path directory) {
        try {
            return providerTools(
                    read(directory.resolve(".ash/agent.json")).raw("network"),
                    read(directory.resolve(".claude/settings.json")).object("permissions"));
        } catch (IOException | ApiException e) {
            return List.of(); // unreadable files request nothing
        }
    }

    private static Optional<String> setting(JsonObject overlay, JsonObject file, String name)
            throws MalformedJsonException {
        var value = overlay.string(name);
        return value.isPresent() ? value : file.string(name);
    }

    private static IsolationRequest isolation(
            JsonObject overlay, JsonObject file, Optional<JsonObject> permissions)
            throws IOException {
        var network = overlay.raw("network").or(() -> file.raw("network"));
        var budget = number(overlay, file, "maxBudgetUsd");
        var tokens = number(overlay, file, "maxTokens");
        return new IsolationRequest(
                limits(overlay).or(limits(file)),
                network.isEmpty() ? null : NetworkRequest.parse("network", network.get()),
                setting(overlay, file, "credentialId").orElse(null),
                budget.isEmpty() ? null : Double.valueOf(budget.get()),
                tokens.isEmpty() ? null : Long.valueOf(Math.round(tokens.get())),
                providerTools(network, permissions));
    }

    /** Tools listed in {@code network}, and those used by tools that the permissions allow. */
    private static List<String> providerTools(
            Optional<RawJson> network, Optional<JsonObject> permissions)
            throws MalformedJsonException {
        var named =
                network.isEmpty() ? null : NetworkRequest.providerTools("network", network.get());
        var tools = new ArrayList<>(named == null ? List.<String>of() : named);
        if (permissions.isPresent()
                && permissions.get().strings("allow").contains("WebSearch")
                && !tools.contains(ProviderTools.WEB_SEARCH)) {
            tools.add(ProviderTools.WEB_SEARCH);
        }
        return List.copyOf(tools);
    }

    private static ResourceLimits limits(JsonObject settings) throws IOException {
        var limits = settings.raw("limits");
        return limits.isEmpty()
                ? ResourceLimits.UNSET
                : Json.read(limits.get().toBytes(), ResourceLimits.class);
    }

    private static Optional<Double> number(JsonObject overlay, JsonObject file, String name)
            throws IOException {
        var value = overlay.raw(name).or(() -> file.raw(name));
        try {
            return value.map(RawJson::toString).map(Double::valueOf);
        } catch (NumberFormatException e) {
            throw new IOException(name + " must be a number", e);
        }
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
            throw new IOException(file.getFileName() + " is larger than 1 MiB");
        }
        try {
            return JsonObject.parse(new RawJson(Files.readAllBytes(file)));
        } catch (MalformedJsonException e) {
            throw new IOException(file.getFileName() + " is not valid JSON: " + e.getMessage(), e);
        }
    }
}
