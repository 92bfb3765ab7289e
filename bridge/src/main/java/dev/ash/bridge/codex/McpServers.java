package dev.ash.bridge.codex;

import dev.ash.bridge.engine.EngineException;
import dev.ash.bridge.engine.EngineSetup;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import java.io.IOException;
import java.nio.file.Files;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Converts the MCP servers of the session and of the agent's {@code .mcp.json} to the format of the
 * CLI. They are passed through its stdin, because their environment may contain secrets.
 */
final class McpServers {
    private static final Pattern VARIABLE = Pattern.compile("\\$\\{([A-Za-z_]\\w*)(?::-([^}]*))?}");

    private final EngineSetup setup;
    private final boolean requireApproval;

    private McpServers(EngineSetup setup, boolean requireApproval) {
        this.setup = setup;
        this.requireApproval = requireApproval;
    }

    /** {@code requireApproval} is whether the CLI asks before each tool call. */
    static RawJson of(EngineSetup setup, boolean requireApproval) throws EngineException {
        var servers = new LinkedHashMap<String, RawJson>();
        var file = setup.directories().agent().resolve(".mcp.json");
        try {
            if (Files.exists(file)) {
                var all = JsonObject.parse(new RawJson(Files.readAllBytes(file)));
                add(servers, all.raw("mcpServers").orElse(RawJson.EMPTY_OBJECT));
            }
        } catch (IOException e) {
            throw new EngineException("The agent's .mcp.json is invalid: " + e.getMessage());
        }
        try {
            if (setup.config().mcpServers() != null) {
                add(servers, setup.config().mcpServers());
            }
            return new McpServers(setup, requireApproval).translate(servers);
        } catch (MalformedJsonException e) {
            throw new EngineException("mcpServers: " + e.getMessage());
        }
    }

    private static void add(Map<String, RawJson> servers, RawJson other)
            throws MalformedJsonException {
        var object = JsonObject.parse(other);
        for (var name : object.names()) {
            servers.put(name, object.raw(name).orElse(RawJson.EMPTY_OBJECT));
        }
    }

    private RawJson translate(Map<String, RawJson> servers)
            throws MalformedJsonException, EngineException {
        var json = JsonWriter.object();
        for (var server : servers.entrySet()) {
            json.put(server.getKey(), server(server.getKey(), JsonObject.parse(server.getValue())));
        }
        return json.end();
    }

    private RawJson server(String name, JsonObject server)
            throws MalformedJsonException, EngineException {
        var json = JsonWriter.object();
        var type = server.string("type").orElse(server.raw("url").isPresent() ? "http" : "stdio");
        switch (type) {
            case "stdio" -> {
                json.put("command", expand(server.requireString("command")));
                json.put("args", server.strings("args").stream().map(this::expand).toList());
                json.put("env", expand(server.stringMap("env")));
                json.put("env_vars", inheritedVariables());
            }
            case "http", "streamable-http" -> {
                json.put("url", expand(server.requireString("url")));
                json.put("http_headers", expand(server.stringMap("headers")));
            }
            default ->
                    throw new EngineException(
                            "The MCP server '%s' has the type %s, which the engine codex does not support; expected stdio or http"
                                    .formatted(name, type));
        }
        return json.put("default_tools_approval_mode", requireApproval ? "prompt" : "approve")
                .end();
    }

    /** By default the CLI passes almost no environment variables to its children. */
    private Set<String> inheritedVariables() {
        return new TreeSet<>(setup.environment().keySet());
    }

    private Map<String, String> expand(Map<String, String> values) {
        var expanded = new LinkedHashMap<String, String>();
        values.forEach((name, value) -> expanded.put(name, expand(value)));
        return expanded;
    }

    /** Expands {@code ${NAME}} and {@code ${NAME:-default}}, like Claude Code. */
    private String expand(String text) {
        return VARIABLE.matcher(text)
                .replaceAll(
                        found -> {
                            var defaultValue = found.group(2) == null ? "" : found.group(2);
                            var value =
                                    setup.environment().getOrDefault(found.group(1), defaultValue);
                            return Matcher.quoteReplacement(value);
                        });
    }
}
