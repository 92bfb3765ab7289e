package dev.ash.bridge.engine;

import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An MCP server of the session or of the agent's {@code .mcp.json}, for engines that do not read
 * that file.
 *
 * @param type {@code stdio}, {@code http}, or another value that the engine may support
 * @param command empty unless the type is {@code stdio}, like the arguments and the environment
 * @param url empty if the type is {@code stdio}, like the headers
 */
public record McpServer(
        String name,
        String type,
        String command,
        List<String> arguments,
        Map<String, String> environment,
        String url,
        Map<String, String> headers) {
    public static final String STDIO = "stdio";
    public static final String HTTP = "http";

    private static final Pattern VARIABLE = Pattern.compile("\\$\\{([A-Za-z_]\\w*)(?::-([^}]*))?}");

    /** Returns all servers; one of the session replaces one of the agent with the same name. */
    public static List<McpServer> of(EngineSetup setup) throws EngineException {
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
            var parsed = new ArrayList<McpServer>();
            for (var server : servers.entrySet()) {
                parsed.add(
                        parse(
                                server.getKey(),
                                JsonObject.parse(server.getValue()),
                                setup.environment()));
            }
            return parsed;
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

    private static McpServer parse(String name, JsonObject server, Map<String, String> variables)
            throws MalformedJsonException {
        var type = server.string("type").orElse(server.raw("url").isPresent() ? HTTP : STDIO);
        if (type.equals(STDIO)) {
            return new McpServer(
                    name,
                    STDIO,
                    expand(server.requireString("command"), variables),
                    server.strings("args").stream().map(text -> expand(text, variables)).toList(),
                    expand(server.stringMap("env"), variables),
                    "",
                    Map.of());
        }
        return new McpServer(
                name,
                type.equals("streamable-http") ? HTTP : type,
                "",
                List.of(),
                Map.of(),
                expand(server.requireString("url"), variables),
                expand(server.stringMap("headers"), variables));
    }

    private static Map<String, String> expand(
            Map<String, String> values, Map<String, String> variables) {
        var expanded = new LinkedHashMap<String, String>();
        values.forEach((name, value) -> expanded.put(name, expand(value, variables)));
        return expanded;
    }

    /** Expands {@code ${NAME}} and {@code ${NAME:-default}}, like Claude Code. */
    private static String expand(String text, Map<String, String> variables) {
        return VARIABLE.matcher(text)
                .replaceAll(
                        found -> {
                            var defaultValue = found.group(2) == null ? "" : found.group(2);
                            var value = variables.getOrDefault(found.group(1), defaultValue);
                            return Matcher.quoteReplacement(value);
                        });
    }
}
