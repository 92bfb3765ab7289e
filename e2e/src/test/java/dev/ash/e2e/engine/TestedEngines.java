package dev.ash.e2e.engine;

import dev.ash.e2e.Script;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The engines whose real CLIs run the contract. */
public final class TestedEngines {
    private static final String REASON = "for the contract";

    /** The protocol has no such call. */
    private static final String CUT = "cannot truncate a conversation";

    static final TestedEngine CLAUDE =
            new TestedEngine(
                    "claude",
                    "--input-format stream-json",
                    ProviderKey.ANTHROPIC,
                    Script::bash,
                    (server, tool) -> "mcp__" + server + "__" + tool,
                    Script.tool("AskUserQuestion", question(Map.of("multiSelect", false))),
                    Map.of());

    static final TestedEngine CODEX =
            new TestedEngine(
                    "codex",
                    "/codex app-server",
                    ProviderKey.OPENAI,
                    command ->
                            Script.tool(
                                    "exec_command",
                                    Map.of("cmd", command, "yield_time_ms", 30_000)),
                    (server, tool) -> "mcp__" + server + "/" + tool,
                    Script.tool("request_user_input", question(Map.of("id", "q1"))),
                    Map.of(Property.MODIFIED_INPUT, "rejected by user"));

    static final TestedEngine OPENCODE =
            new TestedEngine(
                    "opencode",
                    "opencode acp",
                    ProviderKey.ANTHROPIC,
                    command ->
                            Script.tool("bash", Map.of("command", command, "description", REASON)),
                    (server, tool) -> server + "_" + tool,
                    Script.tool("question", question(Map.of())),
                    Map.of(
                            Property.FORK_AT_TURN,
                            CUT,
                            Property.MODIFIED_INPUT,
                            "The user rejected permission",
                            Property.QUESTION,
                            "unavailable tool"));

    static final TestedEngine GOOSE =
            new TestedEngine(
                    "goose",
                    "goose acp",
                    ProviderKey.OPENAI,
                    command -> Script.tool("shell", Map.of("command", command)),
                    (server, tool) -> server + "__" + tool,
                    Script.tool("ask_user", question(Map.of())),
                    Map.of(
                            Property.LIMIT_NOTICE,
                            "\"stopReason\":\"end_turn\"",
                            Property.FORK_AT_TURN,
                            CUT,
                            Property.MODIFIED_INPUT,
                            "The user has declined to run this tool",
                            Property.QUESTION,
                            "not found"));

    static final TestedEngine GEMINI =
            new TestedEngine(
                    "gemini",
                    "--acp",
                    ProviderKey.GOOGLE,
                    command ->
                            Script.tool(
                                    "run_shell_command",
                                    Map.of("command", command, "description", REASON)),
                    (server, tool) -> "mcp_" + server + "_" + tool,
                    Script.tool("ask_user", question(Map.of())),
                    Map.of(
                            Property.TOOL_OUTPUT,
                            "\"content\":[]",
                            Property.MCP_INPUT,
                            "\"title\":\"echo (echo MCP Server)\"",
                            Property.FORK_AT_TURN,
                            CUT,
                            Property.MODIFIED_INPUT,
                            "canceled by the user",
                            Property.QUESTION,
                            "not found in registry"));

    /** All engines, in the order of the table. */
    static final List<TestedEngine> ALL = List.of(CLAUDE, CODEX, OPENCODE, GOOSE, GEMINI);

    /** Returns the engine with this name in {@code ASH_ENGINE}. */
    public static TestedEngine of(String name) {
        return ALL.stream().filter(engine -> engine.name().equals(name)).findFirst().orElseThrow();
    }

    /** Returns the input of a question tool; engines differ only in some fields. */
    private static Map<String, ?> question(Map<String, ?> fields) {
        var all = new LinkedHashMap<String, Object>(fields);
        all.put("question", "Which color?");
        all.put("header", "Color");
        all.put(
                "options",
                List.of(
                        Map.of("label", "Red", "description", "r"),
                        Map.of("label", "Blue", "description", "b")));
        return Map.of("questions", List.of(all));
    }

    private TestedEngines() {}
}
