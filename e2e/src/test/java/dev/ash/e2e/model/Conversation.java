package dev.ash.e2e.model;

import java.util.List;
import java.util.function.UnaryOperator;
import tools.jackson.databind.json.JsonMapper;

/** The progress of a scripted conversation: the last prompt, its steps, and the completed ones. */
record Conversation(String prompt, List<Step> steps, int done, String lastToolResult) {
    /** Reads the steps from the prompt itself. */
    static Conversation of(ModelRequest request, JsonMapper mapper) {
        return of(request, mapper, UnaryOperator.identity());
    }

    /** {@code script} maps the prompt to its steps. */
    static Conversation of(ModelRequest request, JsonMapper mapper, UnaryOperator<String> script) {
        var prompt = "";
        int done = 0;
        for (var entry : request.entries()) {
            if (entry.isAnswer()) {
                done++;
            } else if (!entry.prompt().isEmpty()) {
                prompt = entry.prompt();
                done = 0;
            }
        }
        var results = request.toolResults();
        return new Conversation(
                prompt,
                Step.parse(script.apply(prompt), mapper),
                done,
                results.isEmpty() ? "" : results.getLast().text());
    }

    /** Returns the next step, or after the last one a text that quotes the last tool result. */
    Step next() {
        if (done < steps.size()) {
            return steps.get(done);
        }
        return new Step.Say(done > 0 ? "tool said: " + lastToolResult : "you said: " + prompt);
    }
}
