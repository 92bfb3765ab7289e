package dev.ash.bridge.command;

import dev.ash.bridge.engine.EngineException;
import dev.ash.protocol.bridge.TurnOptions;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Converts a prompt to text, and to an argument of a command line. */
final class CommandPrompt {
    /** The kernel's limit for one argument, including its end. */
    private static final int MAX_ARGUMENT_BYTES = 128 * 1024 - 1;

    static String text(RawJson prompt) throws EngineException {
        try {
            var plain = JsonObject.text(prompt);
            return plain.isPresent() ? plain.get() : blocks(prompt);
        } catch (MalformedJsonException e) {
            throw new EngineException(
                    "prompt: expected a string or an array of content blocks, " + e.getMessage());
        }
    }

    private static String blocks(RawJson prompt) throws MalformedJsonException, EngineException {
        var texts = new ArrayList<String>();
        for (var element : JsonObject.elements(prompt)) {
            var block = JsonObject.parse(element);
            var type = block.string("type").orElse("");
            if (!type.equals("text")) {
                throw new EngineException(
                        "prompt: this engine supports blocks of the type text, not '%s'"
                                .formatted(type));
            }
            texts.add(block.requireString("text"));
        }
        return String.join("\n", texts);
    }

    /** Returns the command line with the prompt as its last argument. */
    static List<String> append(List<String> command, String prompt) throws EngineException {
        if (prompt.getBytes(StandardCharsets.UTF_8).length > MAX_ARGUMENT_BYTES - 1
                || prompt.indexOf('\0') >= 0) {
            throw new EngineException(
                    "prompt: this engine gets its prompt as an argument; expected at most %,d bytes without NUL characters"
                            .formatted(MAX_ARGUMENT_BYTES - 1));
        }
        var complete = new ArrayList<>(command);
        complete.add(prompt.startsWith("-") ? " " + prompt : prompt); // it must not be an option
        return complete;
    }

    static void requireSupported(TurnOptions options, String engine) throws EngineException {
        reject("maxTurns", options.maxTurns() != null, engine);
        reject("maxBudgetUsd", options.maxBudgetUsd() != null, engine);
        reject("effort", options.effort() != null, engine);
        reject("thinking", options.thinking() != null, engine);
        reject("outputFormat", options.outputFormat() != null, engine);
    }

    private static void reject(String option, boolean given, String engine) throws EngineException {
        if (given) {
            throw new EngineException(
                    "The engine %s does not support %s of a message; omit it. Limit costs with maxBudgetUsd or maxTokens of the session"
                            .formatted(engine, option));
        }
    }

    private CommandPrompt() {}
}
