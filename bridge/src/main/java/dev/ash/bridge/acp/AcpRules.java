package dev.ash.bridge.acp;

import dev.ash.bridge.engine.AgentRules;
import dev.ash.bridge.engine.EngineException;
import dev.ash.bridge.engine.EngineSetup;
import dev.ash.bridge.engine.Permissions;
import dev.ash.protocol.PermissionMode;
import dev.ash.protocol.engine.EngineProfile;
import java.util.ArrayList;
import java.util.List;

/**
 * Decides whether a tool call that the agent asks about is allowed, denied or needs an approval.
 * Agents are started so that they ask about every call, except about tools that only read.
 *
 * <table>
 * <caption>The rules, first match wins</caption>
 * <tr><td>named without a pattern in {@code disallowedTools} or {@code permissions.deny}</td><td>deny</td></tr>
 * <tr><td>{@code bypassPermissions}</td><td>allow</td></tr>
 * <tr><td>matched by {@code allowedTools} or {@code permissions.allow}</td><td>allow</td></tr>
 * <tr><td>reads, or manages the model's own lists</td><td>allow</td></tr>
 * <tr><td>{@code permissionsByAgent}</td><td>deny</td></tr>
 * <tr><td>anything else</td><td>ask</td></tr>
 * </table>
 */
record AcpRules(PermissionMode permissions, List<String> allowed, List<String> denied) {
    enum Verdict {
        ALLOW,
        ASK,
        DENY
    }

    /** Rules of the workspace can only deny: edits there must not extend the permissions. */
    static AcpRules of(EngineProfile engine, EngineSetup setup, PermissionMode permissions)
            throws EngineException {
        var allowed = new ArrayList<>(setup.config().allowedTools());
        allowed.addAll(AgentRules.read(setup.directories().agent(), "allow"));
        var denied = new ArrayList<>(setup.config().disallowedTools());
        denied.addAll(AgentRules.read(setup.directories().agent(), "deny"));
        denied.addAll(AgentRules.read(setup.directories().workspace(), "deny"));
        var rules = new AcpRules(permissions, List.copyOf(allowed), List.copyOf(denied));
        rules.requireEnforceable(engine);
        return rules;
    }

    /**
     * Rejects deny rules for tools that agents do not ask about, and patterns unless a person
     * decides: the effect of a command is unknown here.
     */
    private void requireEnforceable(EngineProfile engine) throws EngineException {
        for (var rule : denied) {
            int pattern = rule.indexOf('(');
            var tool = pattern < 0 ? rule : rule.substring(0, pattern);
            boolean unasked = ToolNames.HARMLESS.contains(tool);
            if (unasked || (pattern >= 0 && permissions != PermissionMode.ASK)) {
                throw new EngineException(
                        "The engine "
                                + engine.name()
                                + " cannot enforce the rule '"
                                + rule
                                + "' of permissions.deny; use the engine claude, or deny a whole"
                                + " tool that it asks about (Bash, Edit, Write, WebFetch,"
                                + " mcp__server)");
            }
        }
    }

    /** {@code command} is the command line of a {@link ToolNames#COMMAND}. */
    Verdict verdict(String tool, String command) {
        if (denied.stream().anyMatch(rule -> AgentRules.matchesWholeTool(rule, tool))) {
            return Verdict.DENY;
        }
        if (permissions == PermissionMode.BYPASS_PERMISSIONS
                || ToolNames.HARMLESS.contains(tool)
                || allowed.stream()
                        .anyMatch(
                                rule ->
                                        AgentRules.matchesWholeTool(rule, tool)
                                                || AgentRules.matchesCommand(rule, command))) {
            return Verdict.ALLOW;
        }
        return permissions == PermissionMode.ASK ? Verdict.ASK : Verdict.DENY;
    }

    /** Returns the message to the model for a tool that the rules deny. */
    String denialMessage(String tool) {
        return denied.stream().anyMatch(rule -> AgentRules.matchesWholeTool(rule, tool))
                ? tool + " was denied by the rules of this agent. Work without it."
                : Permissions.denialMessage(tool);
    }
}
