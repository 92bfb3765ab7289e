package dev.ash.bridge.claude;

import dev.ash.bridge.engine.EngineSetup;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.RawJson;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * What happens to a tool call in a session that asks, before anybody is asked. Deny rules need no
 * row here: the CLI applies them whatever the bridge says.
 *
 * <table>
 * <caption>The rules, first match wins</caption>
 * <tr><td>the CLI asks by itself, or only changes its own mode</td><td>leave to the CLI</td></tr>
 * <tr><td>reads, or keeps lists of the model's own, or starts what asks for itself</td><td>pass</td></tr>
 * <tr><td>named whole by {@code allowedTools} or the agent's {@code permissions.allow}</td><td>pass</td></tr>
 * <tr><td>named there with a pattern</td><td>leave to the CLI, which asks where no pattern fits</td></tr>
 * <tr><td>anything else</td><td>ask</td></tr>
 * </table>
 */
final class ToolRules {
    enum Verdict {
        PASS,
        LEAVE,
        ASK
    }

    /** A skill that could run something is one of which the CLI asks. */
    private static final Set<String> LEFT =
            Set.of("AskUserQuestion", "EnterPlanMode", "ExitPlanMode", "Skill");

    private static final Set<String> HARMLESS =
            Set.of(
                    "Read",
                    "Glob",
                    "Grep",
                    "LS",
                    "NotebookRead",
                    "ToolSearch",
                    "ReportFindings",
                    "StructuredOutput",
                    "TodoRead",
                    "TodoWrite",
                    "TaskCreate",
                    "TaskGet",
                    "TaskList",
                    "TaskOutput",
                    "TaskUpdate",
                    "CronList",
                    "Task",
                    "Agent");

    private final List<String> allowed;

    private ToolRules(List<String> allowed) {
        this.allowed = allowed;
    }

    /** From the agent as deployed: what it edits in its workspace must not free it. */
    static ToolRules of(EngineSetup setup) {
        var allowed = new ArrayList<>(setup.config().allowedTools());
        allowed.addAll(listed(setup, "allow"));
        return new ToolRules(List.copyOf(allowed));
    }

    /** One of the lists in the agent's settings. */
    static List<String> listed(EngineSetup setup, String name) {
        var settings = setup.folders().agent().resolve(Permissions.SETTINGS);
        try {
            if (Files.exists(settings)) {
                var permissions =
                        JsonObject.parse(new RawJson(Files.readAllBytes(settings)))
                                .object("permissions");
                if (permissions.isPresent()) {
                    return permissions.get().strings(name);
                }
            }
        } catch (IOException e) {
            // Rules that cannot be read allow nothing.
        }
        return List.of();
    }

    Verdict verdict(String tool) {
        if (LEFT.contains(tool)) {
            return Verdict.LEAVE;
        }
        if (HARMLESS.contains(tool) || allowed.stream().anyMatch(rule -> namesWhole(rule, tool))) {
            return Verdict.PASS;
        }
        return allowed.stream().anyMatch(rule -> rule.startsWith(tool + "("))
                ? Verdict.LEAVE
                : Verdict.ASK;
    }

    /** A rule may also name an MCP server, for all of its tools. */
    private static boolean namesWhole(String rule, String tool) {
        if (rule.startsWith("mcp__")) {
            var server = rule.endsWith("__*") ? rule.substring(0, rule.length() - 3) : rule;
            return tool.equals(rule) || tool.startsWith(server + "__");
        }
        return tool.equals(rule);
    }
}
