package dev.ash.bridge.acp;

import dev.ash.bridge.engine.EngineException;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import java.util.ArrayList;
import java.util.List;

/**
 * What an agent supports, from its response to {@code initialize}.
 *
 * @param resumes whether it opens a conversation without repeating its updates
 * @param loads whether it opens a conversation and repeats its updates
 * @param logins the ids of its ways to log in
 */
record AcpAgent(
        boolean resumes,
        boolean loads,
        boolean acceptsImages,
        boolean connectsHttpServers,
        boolean connectsSseServers,
        List<String> logins) {

    private static final long PROTOCOL = 1;

    /**
     * Returns the parameters of {@code initialize}. Offers the agent no files and no terminals of
     * the client: its own tools work in the sandbox.
     */
    static RawJson initialize() {
        var json = JsonWriter.object().put("protocolVersion", PROTOCOL);
        json.name("clientCapabilities").open('{').name("fs").open('{');
        json.put("readTextFile", false).put("writeTextFile", false).close('}');
        json.put("terminal", false).close('}').name("clientInfo").open('{');
        return json.put("name", "ash").put("title", "Ash").put("version", "1").close('}').end();
    }

    static AcpAgent of(RawJson response) throws MalformedJsonException, EngineException {
        var json = JsonObject.parse(response);
        long version = json.number("protocolVersion").orElse(0);
        if (version != PROTOCOL) {
            throw new EngineException(
                    "The engine uses version %d of the Agent Client Protocol; expected %d. Install a version of the engine that supports it"
                            .formatted(version, PROTOCOL));
        }
        var none = JsonObject.parse(RawJson.EMPTY_OBJECT);
        var agent = json.object("agentCapabilities").orElse(none);
        var sessions = agent.object("sessionCapabilities").orElse(none);
        var mcp = agent.object("mcpCapabilities").orElse(none);
        var logins = new ArrayList<String>();
        for (var method : JsonObject.elements(json.raw("authMethods").orElse(RawJson.of("[]")))) {
            logins.add(JsonObject.parse(method).string("id").orElse(""));
        }
        return new AcpAgent(
                sessions.raw("resume").isPresent(),
                agent.isTrue("loadSession"),
                agent.object("promptCapabilities").orElse(none).isTrue("image"),
                mcp.isTrue("http"),
                mcp.isTrue("sse"),
                List.copyOf(logins));
    }
}
