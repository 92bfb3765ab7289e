package dev.ash.server.session.recovery;

import java.util.ArrayList;
import java.util.List;

/** What engines did to the world, in order, and what no server may tell a bridge. */
final class ModelEffects {
    /** A prompt that an engine began to work on. */
    record PromptRun(String label, String turn) {}

    /** A call that was made, with the input it was made with. */
    record ToolRun(String call, String input, String turn) {}

    private final List<PromptRun> prompts = new ArrayList<>();
    private final List<ToolRun> tools = new ArrayList<>();
    private final List<String> wrong = new ArrayList<>();

    synchronized void prompt(String label, String turn) {
        prompts.add(new PromptRun(label, turn));
    }

    synchronized void tool(String call, String input, String turn) {
        tools.add(new ToolRun(call, input, turn));
    }

    synchronized void wrong(String what) {
        wrong.add(what);
    }

    synchronized List<PromptRun> prompts() {
        return List.copyOf(prompts);
    }

    synchronized List<ToolRun> tools() {
        return List.copyOf(tools);
    }

    synchronized List<String> wrong() {
        return List.copyOf(wrong);
    }
}
