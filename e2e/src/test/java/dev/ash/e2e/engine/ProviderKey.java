package dev.ash.e2e.engine;

import java.util.UUID;

/** A provider's API key, which the sandboxes must not contain, and the header that sends it. */
enum ProviderKey {
    ANTHROPIC("ANTHROPIC_API_KEY", "sk-ant-canary-", "x-api-key", ""),
    OPENAI("OPENAI_API_KEY", "sk-openai-canary-", "authorization", "Bearer "),
    GOOGLE("GEMINI_API_KEY", "AIza-google-canary-", "x-goog-api-key", "");

    private final String variable;
    private final String value;
    private final String header;
    private final String scheme;

    ProviderKey(String variable, String prefix, String header, String scheme) {
        this.variable = variable;
        this.value = prefix + UUID.randomUUID();
        this.header = header;
        this.scheme = scheme;
    }

    /** Returns the setting of the server. */
    String variable() {
        return variable;
    }

    /** Returns a key that differs in each run. */
    String value() {
        return value;
    }

    String header() {
        return header;
    }

    String headerValue() {
        return scheme + value;
    }
}
