package dev.ash.bridge.demo;

import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import java.util.Optional;

/** A prompt to the demo, with the commands that it recognizes. */
record DemoPrompt(String text) {
    private static final String RUN = "demo: run ";
    private static final int QUOTED_CODE_POINTS = 200;
    private static final int MAX_COUNT = 1_000_000;

    static DemoPrompt of(RawJson prompt) throws MalformedJsonException {
        var text = JsonObject.text(prompt);
        return new DemoPrompt(text.isPresent() ? text.get() : blocks(prompt));
    }

    static DemoPrompt running(String command) {
        return new DemoPrompt(RUN + command);
    }

    private static String blocks(RawJson prompt) throws MalformedJsonException {
        var text = new StringBuilder();
        for (var element : JsonObject.elements(prompt)) {
            var block = JsonObject.parse(element);
            var type = block.string("type").orElse("");
            if (!text.isEmpty()) {
                text.append('\n');
            }
            text.append(type.equals("text") ? block.string("text").orElse("") : "[" + type + "]");
        }
        return text.toString();
    }

    /** Returns the beginning of the prompt without splitting a character. */
    String quoted() {
        int points = text.codePointCount(0, text.length());
        return points <= QUOTED_CODE_POINTS
                ? text
                : text.substring(0, text.offsetByCodePoints(0, QUOTED_CODE_POINTS)) + "…";
    }

    /** Returns the command in {@code demo: run <command>}, on any line of the prompt. */
    Optional<String> command() {
        return text.lines()
                .filter(line -> line.startsWith(RUN))
                .map(line -> line.substring(RUN.length()).strip())
                .filter(command -> !command.isEmpty())
                .findFirst();
    }

    /** Returns whether the response does not depend on the agent. */
    boolean isScript() {
        return count("messages") > 0 || count("slow") > 0;
    }

    /** Returns the number in {@code demo: <word> <number>}, or 0. */
    int count(String word) {
        var prefix = "demo: " + word + " ";
        var line = text.strip();
        if (!line.startsWith(prefix)) {
            return 0;
        }
        try {
            return Math.clamp(
                    Long.parseLong(line.substring(prefix.length()).strip()), 0, MAX_COUNT);
        } catch (NumberFormatException e) {
            return 0;
        }
    }
}
