package dev.ash.e2e.model;

import java.util.List;
import java.util.function.UnaryOperator;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The progress of a scripted conversation: the last prompt, its steps, and the completed ones. */
record Conversation(String prompt, List<Step> steps, int done, String lastToolResult) {
    /** Reads the steps from the prompt itself. */
    static Conversation of(ModelRequest request, JsonMapper mapper) {
        return of(request, mapper, UnaryOperator.identity());
    }

    /** {@code script} maps the prompt to its steps. */
    static Conversation of(ModelRequest request, JsonMapper mapper, UnaryOperator<String> script) {
        if (request.isResponses()) {
            return ofResponses(request, mapper, script);
        }
        var messages = request.body().path("messages");
        int promptAt = messages.size() - 1;
        while (promptAt >= 0 && prompt(messages.get(promptAt)).isEmpty()) {
            promptAt--;
        }
        int done = 0;
        for (int i = promptAt + 1; i < messages.size(); i++) {
            if (messages.get(i).path("role").asString("").equals("assistant")) {
                done++;
            }
        }
        var prompt = promptAt < 0 ? "" : prompt(messages.get(promptAt));
        var results = request.toolResults();
        return new Conversation(
                prompt,
                Step.parse(script.apply(prompt), mapper),
                done,
                results.isEmpty() ? "" : results.getLast().text());
    }

    /** A model answer is a run of consecutive items of the model. */
    private static Conversation ofResponses(
            ModelRequest request, JsonMapper mapper, UnaryOperator<String> script) {
        var prompt = "";
        int done = 0;
        boolean answering = false;
        for (var item : request.body().path("input")) {
            var type = item.path("type").asString("");
            boolean model =
                    item.path("role").asString("").equals("assistant")
                            || type.equals("function_call")
                            || type.equals("reasoning");
            done += model && !answering ? 1 : 0;
            answering = model;
            if (!prompt(item).isEmpty()) {
                prompt = prompt(item);
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

    /** Returns the last text block of a user message, ignoring the reminders that the CLI adds. */
    private static String prompt(JsonNode message) {
        if (!message.path("role").asString("").equals("user")) {
            return "";
        }
        var content = message.path("content");
        if (content.isString()) {
            return isGenerated(content.asString()) ? "" : content.asString();
        }
        for (int i = content.size() - 1; i >= 0; i--) {
            var block = content.get(i);
            if (block.path("type").asString("").equals("tool_result")) {
                return "";
            }
            var text = block.path("text").asString("");
            if (!text.isEmpty() && !isGenerated(text)) {
                return text;
            }
        }
        return "";
    }

    /** Returns whether the CLI generated this text: reminders and notes about resumed calls. */
    private static boolean isGenerated(String text) {
        return text.startsWith("<system-reminder>")
                || text.startsWith("<environment_context>")
                || text.startsWith("<turn_aborted>")
                || text.startsWith("# AGENTS.md instructions")
                || text.startsWith("About the call of ")
                || text.startsWith("The user wants ")
                || text.equals("Continue from where you left off.");
    }
}
