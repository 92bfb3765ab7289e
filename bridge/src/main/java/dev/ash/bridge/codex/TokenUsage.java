package dev.ash.bridge.codex;

import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;

/** The token usage of the model calls of one turn. */
record TokenUsage(int calls, long input, long cached, long written, long output) {
    static final TokenUsage NONE = new TokenUsage(0, 0, 0, 0, 0);

    /** Adds one call, the {@code last} of {@code thread/tokenUsage/updated}. */
    TokenUsage plus(JsonObject last) throws MalformedJsonException {
        return new TokenUsage(
                calls + 1,
                input + last.number("inputTokens").orElse(0),
                cached + last.number("cachedInputTokens").orElse(0),
                written + last.number("cacheWriteInputTokens").orElse(0),
                output + last.number("outputTokens").orElse(0));
    }

    /** Returns the usage in Claude's format, where the input excludes cached tokens. */
    RawJson json() {
        var json = JsonWriter.object();
        json.put("input_tokens", Math.max(0, input - cached - written));
        json.put("cache_creation_input_tokens", written).put("cache_read_input_tokens", cached);
        return json.put("output_tokens", output).end();
    }
}
