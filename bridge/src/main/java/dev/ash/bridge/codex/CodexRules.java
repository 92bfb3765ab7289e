package dev.ash.bridge.codex;

import dev.ash.bridge.engine.AgentRules;
import dev.ash.bridge.engine.EngineException;
import dev.ash.bridge.engine.EngineSetup;
import dev.ash.bridge.engine.Permissions;
import dev.ash.protocol.PermissionMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Decides whether a tool call is allowed, denied or needs an approval. The CLI does not support the
 * rules of an agent, so it is configured to ask for every call.
 *
 * <table>
 * <caption>The rules, first match wins</caption>
 * <tr><td>named without a pattern in {@code disallowedTools} or {@code permissions.deny}</td><td>deny</td></tr>
 * <tr><td>{@code bypassPermissions}</td><td>allow</td></tr>
 * <tr><td>matched by {@code allowedTools} or {@code permissions.allow}</td><td>allow</td></tr>
 * <tr><td>{@code permissionsByAgent}</td><td>deny</td></tr>
 * <tr><td>anything else</td><td>ask</td></tr>
 * </table>
 */
record CodexRules(PermissionMode permissions, List<String> allowed, List<String> denied) {
    enum Verdict {
        ALLOW,
        ASK,
        DENY
    }

    static final String COMMAND = "Bash";
    static final String CHANGE = "Edit";
    private static final String WEB_SEARCH = "WebSearch";

    /** Claude's tools that rules may name for a change of files. */
    private static final Set<String> CHANGES = Set.of("Edit", "Write", "MultiEdit");

    /** Rules of the workspace can only deny: edits there must not extend the permissions. */
    static CodexRules of(EngineSetup setup, PermissionMode permissions) throws EngineException {
        var allowed = new ArrayList<>(setup.config().allowedTools());
        allowed.addAll(AgentRules.read(setup.directories().agent(), "allow"));
        var denied = new ArrayList<>(setup.config().disallowedTools());
        denied.addAll(AgentRules.read(setup.directories().agent(), "deny"));
        denied.addAll(AgentRules.read(setup.directories().workspace(), "deny"));
        var rules = new CodexRules(permissions, List.copyOf(allowed), List.copyOf(denied));
        rules.requireEnforceable();
        return rules;
    }

    /** Rejects deny patterns unless a person decides: the effect of a command is unknown here. */
    private void requireEnforceable() throws EngineException {
        for (var rule : denied) {
            if (permissions != PermissionMode.ASK && rule.contains("(")) {
                throw new EngineException(
                        "The engine codex cannot enforce the rule '"
                                + rule
                                + "' of permissions.deny, because all its tools are commands;"
                                + " use permissionMode ask, the engine claude, or deny a whole tool"
                                + " (Bash, Edit, WebSearch, mcp__server)");
            }
        }
    }

    /** Returns whether the CLI must ask for every call. Web searches are disabled instead. */
    boolean reviewsCalls() {
        return permissions != PermissionMode.BYPASS_PERMISSIONS
                || denied.stream().anyMatch(rule -> !rule.equals(WEB_SEARCH));
    }

    /** The model's provider searches the web without asking, so this is decided at the start. */
    boolean allowsWebSearch() {
        return verdict(WEB_SEARCH, "") == Verdict.ALLOW;
    }

    /** {@code command} is the command line of a {@link #COMMAND}. */
    Verdict verdict(String tool, String command) {
        if (denied.stream().anyMatch(rule -> matchesTool(rule, tool))) {
            return Verdict.DENY;
        }
        if (permissions == PermissionMode.BYPASS_PERMISSIONS
                || allowed.stream()
                        .anyMatch(
                                rule ->
                                        matchesTool(rule, tool)
                                                || AgentRules.matchesCommand(rule, command))) {
            return Verdict.ALLOW;
        }
        return permissions == PermissionMode.ASK ? Verdict.ASK : Verdict.DENY;
    }

    /** Returns the message to the model for a tool that the rules deny. */
    String denialMessage(String tool) {
        return denied.stream().anyMatch(rule -> matchesTool(rule, tool))
                ? tool + " was denied by the rules of this agent. Work without it."
                : Permissions.denialMessage(tool);
    }

    private static boolean matchesTool(String rule, String tool) {
        return tool.equals(CHANGE)
                ? CHANGES.contains(rule)
                : AgentRules.matchesWholeTool(rule, tool);
    }
}
