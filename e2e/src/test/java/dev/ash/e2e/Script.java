package dev.ash.e2e;

import java.util.List;
import java.util.Map;

/** Lines of prompts that tell the scripted model what to do. */
public final class Script {
    public static String bash(String command) {
        return tool("Bash", Map.of("command", command));
    }

    public static String tool(String name, Map<String, ?> input) {
        return "TOOL:" + name + " " + Api.json(input);
    }

    /** Two helpers that the engine runs at the same time, each with a script of its own. */
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

    /** Appends a line to tool.log, waits for the file go, appends another. */
    public static String waitingTool() {
        return bash(
                "echo begun >> tool.log; until [ -e go ]; do sleep 0.05; done; echo ended >> tool.log");
    }

    private Script() {}
}
