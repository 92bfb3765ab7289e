package dev.ash.bridge.engine;

import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.RawJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Reads the tool rules in an agent's {@link Permissions#SETTINGS}. */
public final class AgentRules {
    /** A command with any of these may do more than its prefix says. */
    private static final String SHELL_METACHARACTERS = ";&|<>()$`\\\n\r";

    /** Returns the list {@code allow}, {@code deny} or {@code ask} of the agent in a directory. */
    public static List<String> read(Path agent, String list) {
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
            // Unreadable rules allow nothing.
        }
        return List.of();
    }

    /** Returns whether a rule without a pattern matches; it may name all tools of an MCP server. */
    public static boolean matchesWholeTool(String rule, String tool) {
        if (rule.startsWith("mcp__")) {
            var server = rule.endsWith("__*") ? rule.substring(0, rule.length() - 3) : rule;
            return tool.equals(rule) || tool.startsWith(server + "__");
        }
        return tool.equals(rule);
    }

    /**
     * Returns whether a rule allows a command line: {@code Bash(make test)} matches that command,
     * {@code Bash(git:*)} all with that prefix.
     */
    public static boolean matchesCommand(String rule, String command) {
        if (command.isEmpty() || !rule.startsWith("Bash(") || !rule.endsWith(")")) {
            return false;
        }
        var pattern = rule.substring("Bash(".length(), rule.length() - 1);
        if (!pattern.endsWith(":*")) {
            return command.equals(pattern);
        }
        var prefix = pattern.substring(0, pattern.length() - 2);
        boolean isSimple = command.chars().noneMatch(c -> SHELL_METACHARACTERS.indexOf(c) >= 0);
        return isSimple && (command.equals(prefix) || command.startsWith(prefix + " "));
    }

    private AgentRules() {}
}
