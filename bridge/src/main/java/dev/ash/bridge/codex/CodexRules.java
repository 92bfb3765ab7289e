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
 * What happens to a tool call before anybody is asked. The CLI knows no rules like those of an
 * agent, so it is made to ask of every call, and is answered here.
 *
 * <table>
 * <caption>The rules, first match wins</caption>
 * <tr><td>named whole by {@code disallowedTools} or {@code permissions.deny}</td><td>deny</td></tr>
 * <tr><td>{@code bypassPermissions}</td><td>allow</td></tr>
 * <tr><td>named by {@code allowedTools} or {@code permissions.allow}, whole or by a pattern that
 * fits</td><td>allow</td></tr>
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

    /** Rules may name a change of files by any of Claude's tools for it. */
    private static final Set<String> CHANGES = Set.of("Edit", "Write", "MultiEdit");

    /** What would make more of a command than it begins with. */
    private static final String SHELL_MEANS = ";&|<>()$`\\\n\r";

    /** Rules of the workspace can only deny: what an agent writes there must not free it. */
    static CodexRules of(EngineSetup setup, PermissionMode permissions) throws EngineException {
        var allowed = new ArrayList<>(setup.config().allowedTools());
        allowed.addAll(AgentRules.listed(setup.folders().agent(), "allow"));
        var denied = new ArrayList<>(setup.config().disallowedTools());
        denied.addAll(AgentRules.listed(setup.folders().agent(), "deny"));
        denied.addAll(AgentRules.listed(setup.folders().workspace(), "deny"));
        var rules = new CodexRules(permissions, List.copyOf(allowed), List.copyOf(denied));
        rules.requireThatTheyHold();
        return rules;
    }

    /** A person can judge by a pattern; nobody else here can tell what a command will do. */
    private void requireThatTheyHold() throws EngineException {
        for (var rule : denied) {
            if (permissions != PermissionMode.ASK && rule.contains("(")) {
                throw new EngineException(
                        "The engine codex cannot hold the rule '"
                                + rule
                                + "' of permissions.deny, because it does everything by commands;"
                                + " use permissionMode ask, the engine claude, or deny a whole tool"
                                + " (Bash, Edit, WebSearch, mcp__server)");
            }
        }
    }

    /** Whether every call comes here first. A search of the web is disabled instead. */
    boolean sees() {
        return permissions != PermissionMode.BYPASS_PERMISSIONS
                || denied.stream().anyMatch(rule -> !rule.equals(WEB_SEARCH));
    }

    /** The web is searched by the model's provider, which asks nobody. */
    boolean mayBrowse() {
        return verdict(WEB_SEARCH, "") == Verdict.ALLOW;
    }

    /** {@code command} is what a {@link #COMMAND} runs. */
    Verdict verdict(String tool, String command) {
        if (denied.stream().anyMatch(rule -> names(rule, tool))) {
            return Verdict.DENY;
        }
        if (permissions == PermissionMode.BYPASS_PERMISSIONS
                || allowed.stream().anyMatch(rule -> names(rule, tool) || fits(rule, command))) {
            return Verdict.ALLOW;
        }
        return permissions == PermissionMode.ASK ? Verdict.ASK : Verdict.DENY;
    }

    /** What the model is told about a tool that the rules refuse. */
    String refusal(String tool) {
        return denied.stream().anyMatch(rule -> names(rule, tool))
                ? tool + " was refused: the rules of this agent deny it. Work without it."
                : Permissions.refusal(tool);
    }

    private static boolean names(String rule, String tool) {
        return tool.equals(CHANGE) ? CHANGES.contains(rule) : AgentRules.namesWhole(rule, tool);
    }

    /** {@code Bash(make test)} is that command, {@code Bash(git:*)} what begins with it. */
    private static boolean fits(String rule, String command) {
        if (command.isEmpty() || !rule.startsWith("Bash(") || !rule.endsWith(")")) {
            return false;
        }
        var pattern = rule.substring("Bash(".length(), rule.length() - 1);
        if (!pattern.endsWith(":*")) {
            return command.equals(pattern);
        }
        var start = pattern.substring(0, pattern.length() - 2);
        boolean plain = command.chars().noneMatch(c -> SHELL_MEANS.indexOf(c) >= 0);
        return plain && (command.equals(start) || command.startsWith(start + " "));
    }
}
