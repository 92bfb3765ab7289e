package dev.ash.bridge.claude;

import dev.ash.bridge.engine.AgentRules;
import dev.ash.bridge.engine.EngineSetup;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Decides in the permission mode {@code ask} whether a tool call needs an approval. Deny rules are
 * not listed: the CLI applies them regardless of the bridge.
 *
 * <table>
 * <caption>The rules, first match wins</caption>
 * <tr><td>the CLI itself asks, or only its mode changes</td><td>delegate to the CLI</td></tr>
 * <tr><td>reads, manages the model's own lists, or starts an agent whose calls are checked</td><td>allow</td></tr>
 * <tr><td>named without a pattern in {@code allowedTools} or the agent's {@code permissions.allow}</td><td>allow</td></tr>
 * <tr><td>named there with a pattern</td><td>delegate to the CLI, which asks if no pattern matches</td></tr>
 * <tr><td>anything else</td><td>ask</td></tr>
 * </table>
 */
final class ToolRules {
    enum Verdict {
        ALLOW,
        DELEGATE,
        ASK
    }

    /** The CLI itself asks for a skill that can run something. */
    private static final Set<String> DELEGATED =
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

    /** Reads the agent as deployed: edits in the workspace must not extend its permissions. */
    static ToolRules of(EngineSetup setup) {
        var allowed = new ArrayList<>(setup.config().allowedTools());
        allowed.addAll(AgentRules.read(setup.directories().agent(), "allow"));
        return new ToolRules(List.copyOf(allowed));
    }

    Verdict verdict(String tool) {
        if (DELEGATED.contains(tool)) {
            return Verdict.DELEGATE;
        }
        if (HARMLESS.contains(tool)
                || allowed.stream().anyMatch(rule -> AgentRules.matchesWholeTool(rule, tool))) {
            return Verdict.ALLOW;
        }
        return allowed.stream().anyMatch(rule -> rule.startsWith(tool + "("))
                ? Verdict.DELEGATE
                : Verdict.ASK;
    }
}
