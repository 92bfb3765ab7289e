package dev.ash.bridge.engine;

import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.RawJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The rules about tools in an agent's {@link Permissions#SETTINGS}. */
public final class AgentRules {
    /** One of the lists {@code allow}, {@code deny} and {@code ask} of the agent in this folder. */
    public static List<String> listed(Path agent, String list) {
        var settings = agent.resolve(Permissions.SETTINGS);
        try {
            if (Files.exists(settings)) {
                var permissions =
                        JsonObject.parse(new RawJson(Files.readAllBytes(settings)))
                                .object("permissions");
                if (permissions.isPresent()) {
                    return permissions.get().strings(list);
                }
            }
        } catch (IOException e) {
            // Rules that cannot be read allow nothing.
        }
        return List.of();
    }

    /** A rule may also name an MCP server, for all of its tools. */
    public static boolean namesWhole(String rule, String tool) {
        if (rule.startsWith("mcp__")) {
            var server = rule.endsWith("__*") ? rule.substring(0, rule.length() - 3) : rule;
            return tool.equals(rule) || tool.startsWith(server + "__");
        }
        return tool.equals(rule);
    }

    private AgentRules() {}
}
