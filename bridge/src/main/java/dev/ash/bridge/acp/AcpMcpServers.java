package dev.ash.bridge.acp;

import dev.ash.bridge.engine.EngineException;
import dev.ash.bridge.engine.McpServer;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.RawJson;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Converts the MCP servers of a session to the format of the protocol. */
final class AcpMcpServers {
    /** {@code variables} is the environment of the sandbox, which agents may not pass on. */
    static RawJson of(List<McpServer> servers, AcpAgent agent, Map<String, String> variables)
            throws EngineException {
        var json = new JsonWriter().open('[');
        for (var server : servers) {
            json.open('{').put("name", server.name());
            if (server.type().equals(McpServer.STDIO)) {
                json.put("command", server.command()).put("args", server.arguments());
                var environment = new TreeMap<>(variables);
                environment.putAll(server.environment());
                putPairs(json, "env", environment);
            } else {
                requireSupported(server, agent);
                json.put("type", server.type()).put("url", server.url());
                putPairs(json, "headers", server.headers());
            }
            json.close('}');
        }
        return json.close(']').toRawJson();
    }

    private static void putPairs(JsonWriter json, String name, Map<String, String> values) {
        json.name(name).open('[');
        values.forEach(
                (key, value) -> json.open('{').put("name", key).put("value", value).close('}'));
        json.close(']');
    }

    private static void requireSupported(McpServer server, AcpAgent agent) throws EngineException {
        boolean supported =
                switch (server.type()) {
                    case McpServer.HTTP -> agent.connectsHttpServers();
                    case "sse" -> agent.connectsSseServers();
                    default -> false;
                };
        if (!supported) {
            throw new EngineException(
                    "The MCP server '%s' has the type %s, which this engine does not support; use a server of the type stdio"
                            .formatted(server.name(), server.type()));
        }
    }

    private AcpMcpServers() {}
}
