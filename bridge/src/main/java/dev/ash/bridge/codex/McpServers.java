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
 * The session's MCP servers and those of the agent's {@code .mcp.json}, as the CLI wants them. They
 * are given to it over its stdin, because their environment may hold secrets.
 */
final class McpServers {
    private static final Pattern VARIABLE = Pattern.compile("\\$\\{([A-Za-z_]\\w*)(?::-([^}]*))?}");

    private final EngineSetup setup;
    private final boolean asks;

    private McpServers(EngineSetup setup, boolean asks) {
        this.setup = setup;
        this.asks = asks;
    }

    /** {@code asks}: whether their tools ask before they run. */
    static RawJson of(EngineSetup setup, boolean asks) throws EngineException {
        var servers = new LinkedHashMap<String, RawJson>();
        var file = setup.folders().agent().resolve(".mcp.json");
        try {
            if (Files.exists(file)) {
                var all = JsonObject.parse(new RawJson(Files.readAllBytes(file)));
                add(servers, all.raw("mcpServers").orElse(RawJson.EMPTY_OBJECT));
            }
        } catch (IOException e) {
            throw new EngineException(
                    "The agent's .mcp.json is not what was expected: " + e.getMessage());
        }
        try {
            if (setup.config().mcpServers() != null) {
                add(servers, setup.config().mcpServers());
            }
            return new McpServers(setup, asks).translated(servers);
        } catch (MalformedJsonException e) {
            throw new EngineException("mcpServers: " + e.getMessage());
        }
    }

    private static void add(Map<String, RawJson> servers, RawJson more)
            throws MalformedJsonException {
        var object = JsonObject.parse(more);
        for (var name : object.names()) {
            servers.put(name, object.raw(name).orElse(RawJson.EMPTY_OBJECT));
        }
    }

    private RawJson translated(Map<String, RawJson> servers)
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
                json.put("command", expanded(server.requireString("command")));
                json.put("args", server.strings("args").stream().map(this::expanded).toList());
                json.put("env", expanded(server.stringMap("env")));
                json.put("env_vars", inherited());
            }
            case "http", "streamable-http" -> {
                json.put("url", expanded(server.requireString("url")));
                json.put("http_headers", expanded(server.stringMap("headers")));
            }
            default ->
                    throw new EngineException(
                            "The MCP server '%s' has the type %s, which the engine codex does not know; expected stdio or http"
                                    .formatted(name, type));
        }
        return json.put("default_tools_approval_mode", asks ? "prompt" : "approve").end();
    }

    /** The CLI gives its children almost nothing of its environment unless it is told. */
    private Set<String> inherited() {
        return new TreeSet<>(setup.environment().keySet());
    }

    private Map<String, String> expanded(Map<String, String> values) {
        var expanded = new LinkedHashMap<String, String>();
        values.forEach((name, value) -> expanded.put(name, expanded(value)));
        return expanded;
    }

    /** As Claude Code does it: {@code ${NAME}} and {@code ${NAME:-otherwise}}. */
    private String expanded(String text) {
        return VARIABLE.matcher(text)
                .replaceAll(
                        found -> {
                            var otherwise = found.group(2) == null ? "" : found.group(2);
                            var value = setup.environment().getOrDefault(found.group(1), otherwise);
                            return Matcher.quoteReplacement(value);
                        });
    }
}
