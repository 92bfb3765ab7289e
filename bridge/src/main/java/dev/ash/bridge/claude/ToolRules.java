package dev.ash.bridge.claude;

import dev.ash.bridge.engine.AgentRules;
import dev.ash.bridge.engine.EngineSetup;
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
        allowed.addAll(AgentRules.listed(setup.folders().agent(), "allow"));
        return new ToolRules(List.copyOf(allowed));
    }

    Verdict verdict(String tool) {
        if (LEFT.contains(tool)) {
            return Verdict.LEAVE;
        }
        if (HARMLESS.contains(tool)
                || allowed.stream().anyMatch(rule -> AgentRules.namesWhole(rule, tool))) {
            return Verdict.PASS;
        }
        return allowed.stream().anyMatch(rule -> rule.startsWith(tool + "("))
                ? Verdict.LEAVE
                : Verdict.ASK;
    }
}
