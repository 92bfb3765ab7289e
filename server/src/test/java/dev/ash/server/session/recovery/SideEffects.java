package dev.ash.server.session.recovery;

import java.util.ArrayList;
import java.util.List;

/** The side effects of fake engines in order, and the protocol violations of servers. */
final class SideEffects {
    /** A prompt that an engine started to process. */
    record PromptRun(String label, String turn) {}

    /** An executed tool call with its input. */
    record ToolRun(String call, String input, String turn) {}

    private final List<PromptRun> prompts = new ArrayList<>();
    private final List<ToolRun> tools = new ArrayList<>();
    private final List<String> violations = new ArrayList<>();

    synchronized void addPrompt(String label, String turn) {
        prompts.add(new PromptRun(label, turn));
    }

    synchronized void addTool(String call, String input, String turn) {
        tools.add(new ToolRun(call, input, turn));
    }

    synchronized void addViolation(String violation) {
        violations.add(violation);
    }

    synchronized List<PromptRun> prompts() {
        return List.copyOf(prompts);
    }

    synchronized List<ToolRun> tools() {
        return List.copyOf(tools);
    }

    synchronized List<String> violations() {
        return List.copyOf(violations);
    }
}
