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
 * The parameters of a CLI process that cannot change while it runs: its flags and its {@code
 * initialize} request. A turn with other parameters needs another process. The model is not among
 * them, because it can be switched.
 *
 * <p>Two flags are always set and their lines filtered out: {@code --include-partial-messages}, so
 * that a turn can request deltas without a new process, and {@code --replay-user-messages}, whose
 * echo shows whether a result belongs to a prompt or to a turn that the CLI started itself.
 */
record ClaudeLaunch(
        List<String> flags, RawJson initialize, PermissionMode permissions, boolean singleTurn) {

    static final String INITIALIZE_ID = "ash-initialize";

    /** Timeout for the answer of a person; the CLI treats a larger value as none. */
    private static final long HOOK_SECONDS = 2_000_000;

    static ClaudeLaunch of(EngineSetup setup, PermissionMode permissions, TurnOptions options)
            throws EngineException {
        return of(setup, permissions, options, List.of());
    }

    /**
     * Returns the launch for a deferred turn. The CLI may resume it before it has read {@code
     * initialize} with the hook, so rules make it ask for the tools that it allows by default.
     */
    static ClaudeLaunch forDeferredTurn(
            EngineSetup setup, PermissionMode permissions, TurnOptions options)
            throws EngineException {
        var rules = ToolRules.of(setup);
        boolean asks = permissions == PermissionMode.ASK;
        var askRules =
                Stream.of("Bash", "WebFetch")
                        .filter(tool -> asks && rules.verdict(tool) == ToolRules.Verdict.ASK);
        return of(setup, permissions, options, askRules.toList());
    }

    private static ClaudeLaunch of(
            EngineSetup setup,
            PermissionMode permissions,
            TurnOptions options,
            List<String> askRules)
            throws EngineException {
        var flags = new ArrayList<>(basicFlags(setup, askRules));
        addPermissions(flags, setup, permissions);
        addSession(flags, setup);
        addTurn(flags, options);
        return new ClaudeLaunch(
                List.copyOf(flags),
                initialize(setup, permissions, options),
                permissions,
                options.maxBudgetUsd() != null); // the CLI applies the budget to the whole process
    }

    /**
     * Returns the environment of the CLI. With MCP servers, it makes the CLI wait until they are
     * connected: by default the CLI continues after at most two seconds, and their tools are
     * missing in the first turn. Variables of the session take precedence.
     */
    static Map<String, String> environment(EngineSetup setup) {
        var file = setup.directories().workspace().resolve(".mcp.json");
        if (setup.config().mcpServers() == null && !Files.exists(file)) {
            return setup.environment();
        }
        var environment = new HashMap<String, String>();
        environment.put("MCP_CONNECTION_NONBLOCKING", "0");
        environment.put("MCP_CONNECT_TIMEOUT_MS", "" + Engine.MCP_STARTUP_TIMEOUT.toMillis());
        environment.put(
                "CLAUDE_CODE_MCP_STARTUP_WAIT_MS", "1"); // newer versions have a second wait
        environment.putAll(setup.environment());
        return environment;
    }

    boolean canServe(ClaudeLaunch requested) {
        return !requested.singleTurn && equals(requested);
    }

    private static List<String> basicFlags(EngineSetup setup, List<String> askRules) {
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
        boolean isCopy = !setup.directories().isProject();
        if (isCopy && Files.exists(setup.directories().agent().resolve("CLAUDE.md"))) {
            // Exclude the copy in the workspace, which the CLI would send to the model again.
            var copy = setup.directories().workspace().resolve("CLAUDE.md");
            settings.put("claudeMdExcludes", List.of(asGlob(copy)));
        }
        addRules(settings, setup, askRules);
        var given = settings.end();
        if (!given.equals(RawJson.EMPTY_OBJECT)) {
            flags.addAll(List.of("--settings", given.toString()));
        }
        return flags;
    }

    /** Adds the rules of the agent if the workspace does not contain the agent's settings. */
    private static void addRules(JsonWriter settings, EngineSetup setup, List<String> askRules) {
        var rules = new LinkedHashMap<String, List<String>>();
        if (setup.directories().isProject()) {
            for (var list : List.of("allow", "deny", "ask")) {
                rules.put(list, AgentRules.read(setup.directories().agent(), list));
            }
        }
        rules.merge(
                "ask",
                askRules,
                (first, second) -> Stream.concat(first.stream(), second.stream()).toList());
        rules.values().removeIf(List::isEmpty);
        if (!rules.isEmpty()) {
            var json = settings.name("permissions").open('{');
            rules.forEach(json::put);
            json.close('}');
        }
    }

    /** Returns a glob for this path; globs have no escapes, so special characters become '?'. */
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
                // These tools only ask a person; the CLI would offer them with the prompt tool.
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
