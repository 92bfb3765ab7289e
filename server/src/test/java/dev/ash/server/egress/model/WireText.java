package dev.ash.server.egress.model;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The texts of requests and responses of each model API. */
enum WireText {
    MESSAGES(
            ModelApi.ANTHROPIC,
            "claude-opus-4-1-20250805",
            "claude-haiku-4-5",
            "claude-haiku-5-5",
            "unknown-model"),
    RESPONSES(ModelApi.OPENAI, "gpt-5.2-codex", "gpt-6-sol", "gpt-x"),
    CHAT(ModelApi.OPENAI, "gpt-5", "anthropic/claude-haiku-4.5", "gpt-x"),
    GENERATE(ModelApi.GOOGLE, "gemini-2.5-pro", "gemini-3.5-flash", "gemini-x");

    /** The length of the text of a delta, which costs a fourth of it. */
    static final int DELTA_TEXT = 40;

    private static final String TEXT = "t".repeat(DELTA_TEXT);

    private final ModelApi api;
    private final List<String> models;

    WireText(ModelApi api, String... models) {
        this.api = api;
        this.models = List.of(models);
    }

    ModelApi api() {
        return api;
    }

    List<String> models() {
        return models;
    }

    boolean writesCache() {
        return this == MESSAGES;
    }

    String path(String model) {
        return switch (this) {
            case MESSAGES -> "/v1/messages";
            case RESPONSES -> "/v1/responses";
            case CHAT -> "/v1/chat/completions";
            case GENERATE -> "/v1beta/models/%s:generateContent".formatted(model);
        };
    }

    String body(String model, int max, int text, boolean hour) {
        var words = "w".repeat(text);
        return switch (this) {
            case MESSAGES ->
                    "{\"model\":\"%s\",\"max_tokens\":%d,\"system\":[{\"type\":\"text\",\"text\":\"s\",\"cache_control\":{\"type\":\"ephemeral\"%s}}],\"messages\":[{\"role\":\"user\",\"content\":\"%s\"}]}"
                            .formatted(model, max, hour ? ",\"ttl\":\"1h\"" : "", words);
            case RESPONSES ->
                    "{\"model\":\"%s\",\"store\":false,\"max_output_tokens\":%d,\"input\":\"%s\"}"
                            .formatted(model, max, words);
            case CHAT ->
                    "{\"model\":\"%s\",\"max_completion_tokens\":%d,\"messages\":[{\"role\":\"user\",\"content\":\"%s\"}]}"
                            .formatted(model, max, words);
            case GENERATE ->
                    "{\"generationConfig\":{\"maxOutputTokens\":%d},\"contents\":[{\"parts\":[{\"text\":\"%s\"}]}]}"
                            .formatted(max, words);
        };
    }

    private String usage(TokenCounts tokens) {
        long input = tokens.input() + tokens.cacheRead();
        return switch (this) {
            case MESSAGES ->
                    "{\"input_tokens\":%d,\"cache_creation_input_tokens\":%d,\"cache_creation\":{\"ephemeral_1h_input_tokens\":%d},\"cache_read_input_tokens\":%d,\"output_tokens\":%d}"
                            .formatted(
                                    tokens.input(),
                                    tokens.cacheCreation(),
                                    tokens.cacheHour(),
                                    tokens.cacheRead(),
                                    tokens.output());
            case RESPONSES ->
                    "{\"input_tokens\":%d,\"input_tokens_details\":{\"cached_tokens\":%d},\"output_tokens\":%d}"
                            .formatted(input, tokens.cacheRead(), tokens.output());
            case CHAT ->
                    "{\"prompt_tokens\":%d,\"prompt_tokens_details\":{\"cached_tokens\":%d},\"completion_tokens\":%d,\"total_tokens\":%d}"
                            .formatted(
                                    input,
                                    tokens.cacheRead(),
                                    tokens.output(),
                                    input + tokens.output());
            case GENERATE ->
                    "{\"promptTokenCount\":%d,\"cachedContentTokenCount\":%d,\"candidatesTokenCount\":%d}"
                            .formatted(input, tokens.cacheRead(), tokens.output());
        };
    }

    String object(String model, TokenCounts tokens) {
        return this == GENERATE
                ? "{\"modelVersion\":\"%s\",\"candidates\":[{\"usageMetadata\":{\"promptTokenCount\":9}}],\"usageMetadata\":%s}"
                        .formatted(model, usage(tokens))
                : "{\"model\":\"%s\",\"content\":[{\"usage\":{\"output_tokens\":9}}],\"usage\":%s}"
                        .formatted(model, usage(tokens));
    }

    /** Part of each line with a delta. */
    String deltaMark() {
        return TEXT;
    }

    String events(String model, TokenCounts tokens, int deltas) {
        return switch (this) {
            case MESSAGES ->
                    "data: {\"type\":\"message_start\",\"message\":{\"model\":\"%s\",\"usage\":%s}}\n\n"
                                    .formatted(model, usage(tokens.withOutput(0)))
                            + "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"%s\"}}\n\n"
                                    .formatted(TEXT)
                                    .repeat(deltas)
                            + "data: {\"type\":\"message_delta\",\"usage\":{\"output_tokens\":%d}}\n\ndata: {\"type\":\"message_stop\"}\n\n"
                                    .formatted(tokens.output());
            case RESPONSES ->
                    "data: {\"type\":\"response.created\",\"response\":{\"model\":\"%s\",\"usage\":null}}\n\n"
                                    .formatted(model)
                            + "data: {\"type\":\"response.output_text.delta\",\"item_id\":\"item_0123456789abcdef\",\"sequence_number\":1,\"delta\":\"%s\"}\n\n"
                                    .formatted(TEXT)
                                    .repeat(deltas)
                            + "data: {\"type\":\"response.completed\",\"response\":{\"model\":\"%s\",\"usage\":%s}}\n\n"
                                    .formatted(model, usage(tokens));
            case CHAT ->
                    "data: {\"model\":\"%s\",\"choices\":[{\"delta\":{\"content\":\"%s\"},\"finish_reason\":null}],\"usage\":null}\n\n"
                                    .formatted(model, TEXT)
                                    .repeat(deltas)
                            + "data: {\"model\":\"%s\",\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
                                    .formatted(model)
                            + "data: {\"model\":\"%s\",\"choices\":[],\"usage\":%s}\n\ndata: [DONE]\n\n"
                                    .formatted(model, usage(tokens));
            case GENERATE ->
                    IntStream.rangeClosed(1, deltas)
                                    .mapToObj(
                                            delta ->
                                                    chunk(
                                                            model,
                                                            "{\"content\":{\"parts\":[{\"text\":\"%s\"}]}}"
                                                                    .formatted(TEXT),
                                                            tokens.withOutput(
                                                                    delta * DELTA_TEXT / 4L)))
                                    .collect(Collectors.joining())
                            + chunk(model, "{\"finishReason\":\"STOP\"}", tokens);
        };
    }

    private String chunk(String model, String candidate, TokenCounts tokens) {
        return "data: {\"candidates\":[%s],\"usageMetadata\":%s,\"modelVersion\":\"%s\"}\n\n"
                .formatted(candidate, usage(tokens), model);
    }
}
