package dev.ash.bridge.claude;

import dev.ash.bridge.engine.AgentRules;
import dev.ash.bridge.engine.Engine;
import dev.ash.bridge.engine.EngineException;
import dev.ash.bridge.engine.EngineSetup;
import dev.ash.bridge.engine.SystemPrompt;
import dev.ash.protocol.PermissionMode;
import dev.ash.protocol.bridge.TurnOptions;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * What a CLI process is started with and cannot change afterwards: its flags and its {@code
 * initialize} request. A turn that wants another launch gets another process; the model is not part
 * of it, because that can be switched while running.
 *
 * <p>Two flags are always on and their lines taken out again: {@code --include-partial-messages},
 * so that a turn may ask for deltas without a new process, and {@code --replay-user-messages},
 * whose echo tells whether a result belongs to our prompt or to a turn of the CLI's own.
 */
record ClaudeLaunch(
        List<String> flags, RawJson initialize, PermissionMode permissions, boolean onlyOneTurn) {

    static final String INITIALIZE_ID = "ash-initialize";

    /** How long the CLI waits for a person; it takes a larger number for none at all. */
    private static final long HOOK_SECONDS = 2_000_000;

    static ClaudeLaunch of(EngineSetup setup, PermissionMode permissions, TurnOptions options)
            throws EngineException {
        return of(setup, permissions, options, List.of());
    }

    /**
     * For a turn that was laid aside. The CLI may take it up before it has read {@code initialize}
     * and knows of our hook, so what it would let pass by itself is made to ask by a rule.
     */
    static ClaudeLaunch continuing(
            EngineSetup setup, PermissionMode permissions, TurnOptions options)
            throws EngineException {
        var rules = ToolRules.of(setup);
        boolean asks = permissions == PermissionMode.ASK;
        var asked =
                Stream.of("Bash", "WebFetch")
                        .filter(tool -> asks && rules.verdict(tool) == ToolRules.Verdict.ASK);
        return of(setup, permissions, options, asked.toList());
    }

    private static ClaudeLaunch of(
            EngineSetup setup, PermissionMode permissions, TurnOptions options, List<String> asked)
            throws EngineException {
        var flags = new ArrayList<>(basics(setup, asked));
        addPermissions(flags, setup, permissions);
        addSession(flags, setup);
        addTurn(flags, options);
        return new ClaudeLaunch(
                List.copyOf(flags),
                initialize(setup, permissions, options),
                permissions,
                options.maxBudgetUsd() != null); // the CLI counts it over the whole process
    }

    /**
     * With MCP servers the CLI is told to connect them before it begins, as long as that takes in
     * reason. By itself it goes ahead after two seconds or at once, and the model is not offered
     * their tools in its first turn. A wish of the session comes first.
     */
    static Map<String, String> environment(EngineSetup setup) {
        var file = setup.folders().workspace().resolve(".mcp.json");
        if (setup.config().mcpServers() == null && !Files.exists(file)) {
            return setup.environment();
        }
        var environment = new HashMap<String, String>();
        environment.put("MCP_CONNECTION_NONBLOCKING", "0");
        environment.put("MCP_CONNECT_TIMEOUT_MS", "" + Engine.MCP_PATIENCE.toMillis());
        environment.put("CLAUDE_CODE_MCP_STARTUP_WAIT_MS", "1"); // newer ones wait once more
        environment.putAll(setup.environment());
        return environment;
    }

    boolean serves(ClaudeLaunch wanted) {
        return !wanted.onlyOneTurn && equals(wanted);
    }

    private static List<String> basics(EngineSetup setup, List<String> asked) {
        var flags =
                new ArrayList<>(
                        List.of(
                                "--input-format",
                                "stream-json",
                                "--output-format",
                                "stream-json",
                                "--verbose",
                                "--include-partial-messages",
                                "--replay-user-messages",
                                "--setting-sources=project"));
        var settings = JsonWriter.object();
        boolean isCopy = !setup.folders().isProject();
        if (isCopy && Files.exists(setup.folders().agent().resolve("CLAUDE.md"))) {
            // The workspace has a copy, which would reach the model a second time as project
            // memory.
            var copy = setup.folders().workspace().resolve("CLAUDE.md");
            settings.put("claudeMdExcludes", List.of(asGlob(copy)));
        }
        addRules(settings, setup, asked);
        var given = settings.end();
        if (!given.equals(RawJson.EMPTY_OBJECT)) {
            flags.addAll(List.of("--settings", given.toString()));
        }
        return flags;
    }

    /** Those of the agent too, where its settings are not those of the workspace. */
    private static void addRules(JsonWriter settings, EngineSetup setup, List<String> asked) {
        var rules = new LinkedHashMap<String, List<String>>();
        if (setup.folders().isProject()) {
            for (var list : List.of("allow", "deny", "ask")) {
                rules.put(list, AgentRules.listed(setup.folders().agent(), list));
            }
        }
        rules.merge(
                "ask", asked, (some, more) -> Stream.concat(some.stream(), more.stream()).toList());
        rules.values().removeIf(List::isEmpty);
        if (!rules.isEmpty()) {
            var json = settings.name("permissions").open('{');
            rules.forEach(json::put);
            json.close('}');
        }
    }

    /** A glob that matches this path; it has no escapes, so what is special becomes any letter. */
    private static String asGlob(Path path) {
        var glob = new StringBuilder(path.toString());
        for (int i = 0; i < glob.length(); i++) {
            if ("*?[]{}()!+@|\\".indexOf(glob.charAt(i)) >= 0) {
                glob.setCharAt(i, '?');
            }
        }
        return glob.toString();
    }

    private static void addPermissions(
            List<String> flags, EngineSetup setup, PermissionMode permissions) {
        var config = setup.config();
        var disallowed = new ArrayList<>(config.disallowedTools());
        flags.add("--permission-mode");
        switch (permissions) {
            case BYPASS_PERMISSIONS -> flags.add("bypassPermissions");
            case ASK -> flags.addAll(List.of("default", "--permission-prompt-tool", "stdio"));
            case PERMISSIONS_BY_AGENT -> {
                flags.addAll(List.of("default", "--permission-prompt-tool", "stdio"));
                // These three only ask a person, and would be offered because of the prompt tool.
                disallowed.addAll(List.of("AskUserQuestion", "EnterPlanMode", "ExitPlanMode"));
            }
        }
        addList(flags, "--allowedTools", config.allowedTools());
        addList(flags, "--disallowedTools", disallowed);
    }

    private static void addSession(List<String> flags, EngineSetup setup) throws EngineException {
        var config = setup.config();
        addList(flags, "--betas", config.betas());
        if (config.initialAgent() != null) {
            flags.addAll(List.of("--agent", config.initialAgent()));
        }
        if (config.mcpServers() != null) {
            var file = new ClaudeHome(setup).writeMcpConfig(config.mcpServers());
            flags.addAll(List.of("--mcp-config", file.toString()));
        }
    }

    private static void addTurn(List<String> flags, TurnOptions options) throws EngineException {
        if (options.maxTurns() != null) {
            flags.addAll(List.of("--max-turns", options.maxTurns().toString()));
        }
        if (options.maxBudgetUsd() != null) {
            flags.addAll(List.of("--max-budget-usd", options.maxBudgetUsd().toString()));
        }
        if (options.effort() != null) {
            flags.addAll(List.of("--effort", options.effort()));
        }
        if (options.thinking() != null) {
            flags.addAll(thinking(options.thinking()));
        }
    }

    private static List<String> thinking(RawJson option) throws EngineException {
        try {
            var thinking = JsonObject.parse(option);
            var budget = thinking.number("budgetTokens");
            return switch (thinking.string("type").orElse("")) {
                case "disabled" -> List.of("--thinking", "disabled");
                case "adaptive" -> List.of("--thinking", "adaptive");
                case "enabled" ->
                        budget.isPresent()
                                ? List.of("--max-thinking-tokens", "" + budget.getAsLong())
                                : List.of("--thinking", "adaptive");
                default -> throw new MalformedJsonException("type");
            };
        } catch (MalformedJsonException e) {
            throw new EngineException(
                    "thinking: expected {\"type\":\"enabled\"|\"adaptive\"|\"disabled\","
                            + "\"budgetTokens\":<number>}");
        }
    }

    private static RawJson initialize(
            EngineSetup setup, PermissionMode permissions, TurnOptions options)
            throws EngineException {
        var json = JsonWriter.object().put("type", "control_request");
        json.put("request_id", INITIALIZE_ID).name("request").open('{');
        json.put("subtype", "initialize");
        var prompt = SystemPrompt.of(setup);
        if (prompt.isPresent()) {
            switch (prompt.get().mode()) {
                case APPEND -> json.put("appendSystemPrompt", prompt.get().text());
                case REPLACE -> json.put("systemPrompt", List.of(prompt.get().text()));
            }
        }
        json.put("agents", setup.config().subagents());
        if (options.outputFormat() != null) {
            json.put("jsonSchema", schema(options.outputFormat()));
        }
        if (permissions == PermissionMode.ASK) {
            json.name("hooks").open('{').name("PreToolUse").open('[').open('{');
            json.put("hookCallbackIds", List.of("ash")).put("timeout", HOOK_SECONDS);
            json.close('}').close(']').close('}');
        }
        return json.close('}').end().onOneLine();
    }

    private static RawJson schema(RawJson outputFormat) throws EngineException {
        try {
            return JsonObject.parse(outputFormat)
                    .raw("schema")
                    .orElseThrow(() -> new MalformedJsonException("schema"));
        } catch (MalformedJsonException e) {
            throw new EngineException(
                    "outputFormat: expected {\"type\":\"json_schema\",\"schema\":{…}}");
        }
    }

    private static void addList(List<String> flags, String flag, List<String> values) {
        if (!values.isEmpty()) {
            flags.add(flag + "=" + String.join(",", values));
        }
    }
}
