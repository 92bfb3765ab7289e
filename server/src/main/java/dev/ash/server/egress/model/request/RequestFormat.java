package dev.ash.server.egress.model.request;

/** The formats of requests to model APIs. */
public enum RequestFormat {
    ANTHROPIC_MESSAGES,
    OPENAI_RESPONSES,
    OPENAI_CHAT,
    GOOGLE_GENERATE;

    FormatTable table() {
        return switch (this) {
            case ANTHROPIC_MESSAGES -> AnthropicMessages.TABLE;
            case OPENAI_RESPONSES -> OpenAiResponses.TABLE;
            case OPENAI_CHAT -> OpenAiChat.TABLE;
            case GOOGLE_GENERATE -> GoogleGenerate.TABLE;
        };
    }
}
