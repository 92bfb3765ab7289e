package dev.ash.bridge.acp;

import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;

/** The token usage that an agent reports at the end of a prompt. */
record AcpUsage(long input, long cached, long written, long output) {
    static final AcpUsage NONE = new AcpUsage(0, 0, 0, 0);

    /** Reads the response to {@code session/prompt}; Gemini reports its usage as a quota. */
    static AcpUsage of(JsonObject response) throws MalformedJsonException {
        var usage = response.object("usage");
        if (usage.isPresent()) {
            return new AcpUsage(
                    tokens(usage.get(), "inputTokens"),
                    tokens(usage.get(), "cachedReadTokens"),
                    tokens(usage.get(), "cachedWriteTokens"),
                    tokens(usage.get(), "outputTokens") + tokens(usage.get(), "thoughtTokens"));
        }
        var meta = response.object("_meta");
        var quota = meta.isEmpty() ? meta : meta.get().object("quota");
        var count = quota.isEmpty() ? quota : quota.get().object("token_count");
        return count.isEmpty()
                ? NONE
                : new AcpUsage(
                        tokens(count.get(), "input_tokens"),
                        0,
                        0,
                        tokens(count.get(), "output_tokens"));
    }

    private static long tokens(JsonObject usage, String name) throws MalformedJsonException {
        return Math.max(0, usage.number(name).orElse(0));
    }

    AcpUsage plus(AcpUsage other) {
        return new AcpUsage(
                input + other.input,
                cached + other.cached,
                written + other.written,
                output + other.output);
    }

    /** Returns the usage in the format of Claude. */
    RawJson json() {
        var json = JsonWriter.object().put("input_tokens", input);
        json.put("cache_creation_input_tokens", written).put("cache_read_input_tokens", cached);
        return json.put("output_tokens", output).end();
    }

    /** Adds the usage of one model in the format of Claude's {@code modelUsage}. */
    void putModelUsage(JsonWriter json) {
        json.put("inputTokens", input).put("outputTokens", output);
        json.put("cacheReadInputTokens", cached).put("cacheCreationInputTokens", written);
    }
}
