package dev.ash.bridge.codex;

import dev.ash.bridge.engine.EngineException;
import dev.ash.protocol.bridge.TurnOptions;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;

/** Converts a prompt and its options to the format of the CLI. */
final class CodexInput {
    /** Adds {@code input} and the options to the parameters of a turn. */
    static void add(JsonWriter turn, RawJson prompt, TurnOptions options) throws EngineException {
        rejectUnsupported("maxTurns", options.maxTurns() != null);
        rejectUnsupported("maxBudgetUsd", options.maxBudgetUsd() != null);
        if (options.thinking() != null) {
            throw new EngineException(
                    "thinking is only supported by the engine claude; with codex, use effort");
        }
        turn.put("input", input(prompt)).put("effort", options.effort());
        try {
            if (options.outputFormat() != null) {
                var schema = JsonObject.parse(options.outputFormat()).raw("schema");
                turn.put(
                        "outputSchema",
                        schema.orElseThrow(
                                () -> new MalformedJsonException("outputFormat needs a schema")));
            }
        } catch (MalformedJsonException e) {
            throw new EngineException(
                    "outputFormat: expected an object with a schema, " + e.getMessage());
        }
    }

    private static void rejectUnsupported(String option, boolean given) throws EngineException {
        if (given) {
            throw new EngineException(
                    option
                            + " of a message is only supported by the engine claude; with codex,"
                            + " set maxBudgetUsd or maxTokens of the session");
        }
    }

    /** Returns a prompt as the input of a turn. */
    static RawJson input(RawJson prompt) throws EngineException {
        try {
            return blocks(prompt);
        } catch (MalformedJsonException e) {
            throw new EngineException(
                    "prompt: expected a string or an array of content blocks, " + e.getMessage());
        }
    }

    private static RawJson blocks(RawJson prompt) throws MalformedJsonException, EngineException {
        var json = new JsonWriter().open('[');
        var plain = JsonObject.text(prompt);
        if (plain.isPresent()) {
            json.value(text(plain.get()));
        } else {
            for (var element : JsonObject.elements(prompt)) {
                json.value(block(JsonObject.parse(element)));
            }
        }
        return json.close(']').toRawJson();
    }

    static RawJson text(String text) {
        return JsonWriter.object().put("type", "text").put("text", text).end();
    }

    private static RawJson block(JsonObject block) throws MalformedJsonException, EngineException {
        var type = block.string("type").orElse("");
        var source = block.object("source");
        if (type.equals("text")) {
            return text(block.requireString("text"));
        }
        if (type.equals("image") && source.isPresent()) {
            return JsonWriter.object().put("type", "image").put("url", url(source.get())).end();
        }
        throw new EngineException(
                "prompt: the engine codex supports blocks of the types text and image, not '"
                        + type
                        + "'");
    }

    private static String url(JsonObject source) throws MalformedJsonException {
        return source.string("type").orElse("").equals("url")
                ? source.requireString("url")
                : "data:%s;base64,%s"
                        .formatted(
                                source.requireString("media_type"), source.requireString("data"));
    }

    private CodexInput() {}
}
