package dev.ash.e2e.model;

import java.util.List;
import java.util.function.UnaryOperator;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Where a request stands: what the last prompt asked for, and how much of it is done. */
record Conversation(String prompt, List<Step> steps, int done, String lastToolResult) {
    /** With a prompt that holds its steps itself. */
    static Conversation of(ModelRequest request, JsonMapper mapper) {
        return of(request, mapper, UnaryOperator.identity());
    }

    /** {@code script} gives the steps for a prompt. */
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

    /** An answer of the model is a run of items between those that others made. */
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

    /** The next step; a text about what the tool said once the steps are used up. */
    Step next() {
        if (done < steps.size()) {
            return steps.get(done);
        }
        return new Step.Say(done > 0 ? "tool said: " + lastToolResult : "you said: " + prompt);
    }

    /** The last text block of a user's message, without the reminders that the CLI puts around. */
    private static String prompt(JsonNode message) {
        if (!message.path("role").asString("").equals("user")) {
            return "";
        }
        var content = message.path("content");
        if (content.isString()) {
            return ofTheCli(content.asString()) ? "" : content.asString();
        }
        for (int i = content.size() - 1; i >= 0; i--) {
            var block = content.get(i);
            if (block.path("type").asString("").equals("tool_result")) {
                return "";
            }
            var text = block.path("text").asString("");
            if (!text.isEmpty() && !ofTheCli(text)) {
                return text;
            }
        }
        return "";
    }

    /** Texts that nobody sent: reminders, and what it says when it takes up a call laid aside. */
    private static boolean ofTheCli(String text) {
        return text.startsWith("<system-reminder>")
                || text.startsWith("<environment_context>")
                || text.startsWith("<turn_aborted>")
                || text.startsWith("# AGENTS.md instructions")
                || text.startsWith("About the call of ")
                || text.startsWith("The user wants ")
                || text.equals("Continue from where you left off.");
    }
}
