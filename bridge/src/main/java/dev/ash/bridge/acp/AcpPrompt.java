package dev.ash.bridge.acp;

import dev.ash.bridge.engine.EngineException;
import dev.ash.protocol.bridge.TurnOptions;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;

/** Converts a prompt to content blocks of the protocol, and rejects unsupported options. */
final class AcpPrompt {
    static RawJson text(String text) {
        return JsonWriter.object().put("type", "text").put("text", text).end();
    }

    /** Returns an array of blocks; {@code instructions} are put before them unless empty. */
    static RawJson blocks(RawJson prompt, String instructions, AcpAgent agent)
            throws EngineException {
        var json = new JsonWriter().open('[');
        if (!instructions.isEmpty()) {
            json.value(text(instructions));
        }
        try {
            var plain = JsonObject.text(prompt);
            if (plain.isPresent()) {
                json.value(text(plain.get()));
            } else {
                for (var element : JsonObject.elements(prompt)) {
                    json.value(block(JsonObject.parse(element), agent));
                }
            }
        } catch (MalformedJsonException e) {
            throw new EngineException(
                    "prompt: expected a string or an array of content blocks, " + e.getMessage());
        }
        return json.close(']').toRawJson();
    }

    private static RawJson block(JsonObject block, AcpAgent agent)
            throws MalformedJsonException, EngineException {
        var type = block.string("type").orElse("");
        if (type.equals("text")) {
            return text(block.requireString("text"));
        }
        var source = block.object("source");
        if (type.equals("image")
                && agent.acceptsImages()
                && source.isPresent()
                && source.get().string("type").orElse("").equals("base64")) {
            var json = JsonWriter.object().put("type", "image");
            json.put("mimeType", source.get().requireString("media_type"));
            return json.put("data", source.get().requireString("data")).end();
        }
        throw new EngineException(
                "prompt: this engine supports blocks of the type text%s, not '%s'"
                        .formatted(
                                agent.acceptsImages() ? ", and image with base64 data" : "", type));
    }

    static void requireSupported(TurnOptions options, String engine) throws EngineException {
        reject("maxTurns", options.maxTurns() != null, engine);
        reject("maxBudgetUsd", options.maxBudgetUsd() != null, engine);
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

    private AcpPrompt() {}
}
