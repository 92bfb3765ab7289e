package dev.ash.e2e.engine;

import dev.ash.e2e.Script;
import java.util.Map;
import java.util.function.BinaryOperator;
import java.util.function.UnaryOperator;

/**
 * A real engine in the tests: the tools that its model calls, and what it cannot do.
 *
 * @param name its name in {@code ASH_ENGINE} and {@code e2e/engines.txt}
 * @param process a part of the command line of its process
 * @param key the key of the provider whose API it calls
 * @param shell returns the line of a script that runs a command with the engine's own tool
 * @param mcpTool returns the name under which its model calls a tool, from the names of the MCP
 *     server and of the tool
 * @param question the line of a script in which its model asks {@code Which color?}
 * @param cannot for each property that the engine does not have, a part of the answer that the
 *     engine or Ash gives instead
 */
public record TestedEngine(
        String name,
        String process,
        ProviderKey key,
        UnaryOperator<String> shell,
        BinaryOperator<String> mcpTool,
        String question,
        Map<Property, String> cannot) {

    boolean can(Property property) {
        return !cannot.containsKey(property);
    }

    /** Returns the answer instead of a property that the engine does not have. */
    String answerInstead(Property property) {
        return cannot.get(property);
    }

    /** Returns the line of a script that runs a command. */
    public String run(String command) {
        return shell.apply(command);
    }

    /** Returns the line of a script that calls a tool of an MCP server. */
    public String call(String server, String tool, Map<String, ?> input) {
        return Script.tool(mcpTool.apply(server, tool), input);
    }
}
