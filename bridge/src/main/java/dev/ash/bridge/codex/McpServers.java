package dev.ash.bridge.codex;

import dev.ash.bridge.engine.EngineException;
import dev.ash.bridge.engine.EngineSetup;
import dev.ash.bridge.engine.McpServer;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.RawJson;
import java.util.TreeSet;

/**
 * Converts the MCP servers of a session to the format of the CLI. They are passed through its
 * stdin, because their environment may contain secrets.
 */
final class McpServers {
    /** {@code requireApproval} is whether the CLI asks before each tool call. */
    static RawJson of(EngineSetup setup, boolean requireApproval) throws EngineException {
        var json = JsonWriter.object();
        for (var server : McpServer.of(setup)) {
            json.name(server.name()).open('{');
            switch (server.type()) {
                case McpServer.STDIO -> {
                    json.put("command", server.command()).put("args", server.arguments());
                    json.put("env", server.environment());
                    // By default the CLI passes almost no environment variables to its children.
                    json.put("env_vars", new TreeSet<>(setup.environment().keySet()));
                }
                case McpServer.HTTP ->
                        json.put("url", server.url()).put("http_headers", server.headers());
                default ->
                        throw new EngineException(
                                "The MCP server '%s' has the type %s, which the engine codex does not support; expected stdio or http"
                                        .formatted(server.name(), server.type()));
            }
            json.put("default_tools_approval_mode", requireApproval ? "prompt" : "approve");
            json.close('}');
        }
        return json.end();
    }

    private McpServers() {}
}
