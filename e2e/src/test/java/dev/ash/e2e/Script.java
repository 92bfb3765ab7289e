package dev.ash.e2e;

import java.util.List;
import java.util.Map;

/** Creates prompt lines that the scripted model API executes. */
public final class Script {
    public static String bash(String command) {
        return tool("Bash", Map.of("command", command));
    }

    public static String tool(String name, Map<String, ?> input) {
        return "TOOL:" + name + " " + Api.json(input);
    }

    /** Returns a call of two concurrent subagents, each with its own script. */
    public static String twoAgents(String first, String second) {
        return "TOOLS:" + Api.json(List.of(agent("first", first), agent("second", second)));
    }

    private static List<Object> agent(String name, String prompt) {
        return List.of(
                "Agent",
                Map.of(
                        "description",
                        name,
                        "prompt",
                        prompt,
                        "subagent_type",
                        "general-purpose",
                        "run_in_background",
                        false));
    }

    /**
     * Returns a tool call that appends a line to tool.log, waits for the file go, and appends
     * another line.
     */
    public static String waitingTool() {
        return bash(
                "echo begun >> tool.log; until [ -e go ]; do sleep 0.05; done; echo ended >> tool.log");
    }

    private Script() {}
}
