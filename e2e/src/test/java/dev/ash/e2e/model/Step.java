package dev.ash.e2e.model;

import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * One scripted action of the model. A prompt has one step per line; each request performs the next
 * one. {@code NEW} discards the lines before: some CLIs merge a prompt that got no answer with the
 * next one.
 */
sealed interface Step {
    /** {@code SAY:text}. */
    record Say(String text) implements Step {}

    /** {@code FULL:text}: answers with the text and the stop reason {@code max_tokens}. */
    record Full(String text) implements Step {}

    /** {@code TOOL:name {input}}. */
    record Tool(String name, JsonNode input) implements Step {}

    /** {@code TOOLS:[["name", {input}], …]}: several calls in one message. */
    record Tools(List<Tool> calls) implements Step {}

    /** {@code SLOW:chunks [milliseconds]}: a text in that many chunks, with a pause after each. */
    record Slow(int chunks, int pauseMs) implements Step {}

    /** {@code MANY:n}: n blocks of text, which the CLI turns into n messages. */
    record Many(int blocks) implements Step {}

    /**
     * {@code STATUS:code [times]}: fails with the status that many times (by default always), then
     * answers "recovered".
     */
    record Status(int code, int times) implements Step {}

    /** {@code CUT}: closes the connection in the middle of the first answer. */
    record Cut() implements Step {}

    /** {@code HOLD}: begins an answer, then waits for {@link ScriptedModelApi#release}. */
    record Hold() implements Step {}

    static List<Step> parse(String prompt, JsonMapper mapper) {
        var steps = new ArrayList<Step>();
        for (var line : prompt.lines().toList()) {
            var colon = line.indexOf(':');
            var word = colon < 0 ? line.strip() : line.substring(0, colon);
            var rest = colon < 0 ? "" : line.substring(colon + 1);
            switch (word) {
                case "SAY" -> steps.add(new Say(rest));
                case "FULL" -> steps.add(new Full(rest));
                case "TOOL" -> {
                    var parts = rest.strip().split(" ", 2);
                    steps.add(
                            new Tool(
                                    parts[0], mapper.readTree(parts.length > 1 ? parts[1] : "{}")));
                }
                case "TOOLS" -> {
                    var calls = mapper.readTree(rest).valueStream();
                    steps.add(
                            new Tools(
                                    calls.map(c -> new Tool(c.get(0).asString(), c.get(1)))
                                            .toList()));
                }
                case "SLOW" -> steps.add(new Slow(number(rest, 0, 10), number(rest, 1, 20)));
                case "MANY" -> steps.add(new Many(number(rest, 0, 10)));
                case "STATUS" ->
                        steps.add(
                                new Status(
                                        number(rest, 0, 500), number(rest, 1, Integer.MAX_VALUE)));
                case "CUT" -> steps.add(new Cut());
                case "HOLD" -> steps.add(new Hold());
                case "NEW" -> steps.clear();
                default -> {} // other text, such as additions of the CLI
            }
        }
        return steps;
    }

    private static int number(String text, int index, int otherwise) {
        var parts = text.strip().split("\\s+");
        return index < parts.length && !parts[index].isEmpty()
                ? Integer.parseInt(parts[index])
                : otherwise;
    }
}
