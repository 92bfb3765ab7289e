package dev.ash.server.egress.model;

import dev.ash.server.egress.model.request.CallSize;
import java.nio.charset.StandardCharsets;
import java.util.Random;

/**
 * One generated model call: its request, its response, and where either is truncated.
 *
 * @param tokens the tokens of the whole response
 * @param chargedTokens the tokens of the part that the model sent
 * @param acceptedBytes the number of response bytes that the client reads before it disconnects
 */
record CallPlan(
        ModelApi api,
        String model,
        byte[] request,
        byte[] response,
        Ending ending,
        TokenCounts tokens,
        TokenCounts chargedTokens,
        int acceptedBytes) {

    enum Ending {
        EVENTS,
        OBJECT,
        OBJECT_TRUNCATED,
        NO_RESPONSE,
        EVENTS_TRUNCATED,
        COMPRESSED,
        ERROR,
        UNREACHABLE,
        UPLOAD_ABORTED;

        /** Returns whether the model received the request and charges for it. */
        boolean isCharged() {
            return this != ERROR && this != UNREACHABLE && this != UPLOAD_ABORTED;
        }

        /** Returns whether the response shows the tokens. */
        boolean hasExactUsage() {
            return this == EVENTS || this == OBJECT || !isCharged();
        }
    }

    private static final String[] MODELS = {
        "claude-opus-4-1-20250805", "claude-haiku-4-5", "claude-haiku-5-5", "unknown-model"
    };
    private static final int DELTA_TEXT = 40;

    static CallPlan random(Random random, ModelApi api, String placeholder) {
        var ending = ending(random);
        var model = api == ModelApi.OPENAI ? "gpt-x" : MODELS[random.nextInt(MODELS.length)];
        int maxOutput = 200 + random.nextInt(8000);
        boolean hour = random.nextInt(4) == 0;
        var body = body(api, model, maxOutput, random.nextInt(1500), hour);
        int size = Math.min(body.length() / 2, (int) CallSize.MAX_TOKENS);
        int deltas = random.nextInt(5);
        var tokens = tokens(random, api, size, hour, deltas, maxOutput);
        var events = events(api, model, tokens, deltas);
        var object = object(api, model, tokens);
        int cut = random.nextInt(events.length());
        var response =
                switch (ending) {
                    case EVENTS -> head(random, "text/event-stream", events);
                    case OBJECT -> head(random, "application/json", object);
                    case OBJECT_TRUNCATED ->
                            "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s"
                                    .formatted(
                                            object.length(),
                                            object.substring(0, random.nextInt(object.length())));
                    case EVENTS_TRUNCATED ->
                            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: %d\r\n\r\n%s"
                                    .formatted(events.length(), events.substring(0, cut));
                    case COMPRESSED ->
                            "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\nabcd";
                    case ERROR ->
                            "HTTP/1.1 %d No\r\nContent-Length: 2\r\n\r\n{}"
                                    .formatted(random.nextBoolean() ? 429 : 500);
                    case NO_RESPONSE, UNREACHABLE, UPLOAD_ABORTED -> "";
                };
        var request = request(random, api, body, placeholder);
        if (ending == Ending.UPLOAD_ABORTED) {
            request = request.substring(0, request.length() - 1 - random.nextInt(20));
        }
        int streamed = count(events.substring(0, cut), "delta\",");
        var charged = tokens.withOutput(Math.min(tokens.output(), streamed * (DELTA_TEXT / 4L)));
        return new CallPlan(
                api,
                model,
                bytes(request),
                bytes(response),
                ending,
                tokens,
                ending == Ending.EVENTS_TRUNCATED ? charged : tokens,
                random.nextInt(3) > 0 ? Integer.MAX_VALUE : random.nextInt(response.length() + 1));
    }

    private static Ending ending(Random random) {
        return random.nextInt(10) < 6
                ? Ending.EVENTS
                : Ending.values()[random.nextInt(Ending.values().length)];
    }

    private static TokenCounts tokens(
            Random random, ModelApi api, int size, boolean hour, int deltas, int maxOutput) {
        int input = random.nextInt(size + 1);
        int cached = random.nextInt(input + 1);
        boolean written = api == ModelApi.ANTHROPIC && random.nextBoolean();
        int minOutput = deltas * DELTA_TEXT / 4;
        int output = minOutput + random.nextInt(maxOutput - minOutput);
        return new TokenCounts(
                input - cached,
                written && !hour ? cached : 0,
                written && hour ? cached : 0,
                written ? 0 : cached,
                output,
                0);
    }

    private static String body(ModelApi api, String model, int max, int text, boolean hour) {
        var words = "w".repeat(text);
        return api == ModelApi.OPENAI
                ? "{\"model\":\"%s\",\"store\":false,\"max_output_tokens\":%d,\"input\":\"%s\"}"
                        .formatted(model, max, words)
                : "{\"model\":\"%s\",\"max_tokens\":%d,\"system\":[{\"type\":\"text\",\"text\":\"s\",\"cache_control\":{\"type\":\"ephemeral\"%s}}],\"messages\":[{\"role\":\"user\",\"content\":\"%s\"}]}"
                        .formatted(model, max, hour ? ",\"ttl\":\"1h\"" : "", words);
    }

    private static String request(Random random, ModelApi api, String body, String placeholder) {
        var head =
                "POST %s HTTP/1.1\r\nHost: m\r\nx-api-key: %s\r\n"
                        .formatted(
                                api == ModelApi.OPENAI ? "/v1/responses" : "/v1/messages",
                                placeholder);
        if (random.nextBoolean()) {
            return head + "Content-Length: " + body.length() + "\r\n\r\n" + body;
        }
        return head + "Transfer-Encoding: chunked\r\n\r\n" + chunks(random, body);
    }

    private static String chunks(Random random, String text) {
        var chunks = new StringBuilder();
        for (int at = 0; at < text.length(); ) {
            int length = Math.min(text.length() - at, 1 + random.nextInt(1000));
            chunks.append(Integer.toHexString(length)).append("\r\n");
            chunks.append(text, at, at + length).append("\r\n");
            at += length;
        }
        return chunks.append("0\r\n\r\n").toString();
    }

    private static String head(Random random, String type, String body) {
        var start = "HTTP/1.1 200 OK\r\nContent-Type: " + type + "\r\n";
        return switch (random.nextInt(3)) {
            case 0 -> start + "Content-Length: " + body.length() + "\r\n\r\n" + body;
            case 1 -> start + "\r\n" + body;
            default -> start + "Transfer-Encoding: chunked\r\n\r\n" + chunks(random, body);
        };
    }

    private static String usage(ModelApi api, TokenCounts tokens) {
        return api == ModelApi.OPENAI
                ? "{\"input_tokens\":%d,\"input_tokens_details\":{\"cached_tokens\":%d},\"output_tokens\":%d}"
                        .formatted(
                                tokens.input() + tokens.cacheRead(),
                                tokens.cacheRead(),
                                tokens.output())
                : "{\"input_tokens\":%d,\"cache_creation_input_tokens\":%d,\"cache_creation\":{\"ephemeral_1h_input_tokens\":%d},\"cache_read_input_tokens\":%d,\"output_tokens\":%d}"
                        .formatted(
                                tokens.input(),
                                tokens.cacheCreation(),
                                tokens.cacheHour(),
                                tokens.cacheRead(),
                                tokens.output());
    }

    private static String object(ModelApi api, String model, TokenCounts tokens) {
        return "{\"model\":\"%s\",\"content\":[{\"usage\":{\"output_tokens\":9}}],\"usage\":%s}"
                .formatted(model, usage(api, tokens));
    }

    private static String events(ModelApi api, String model, TokenCounts tokens, int deltas) {
        var text = "t".repeat(DELTA_TEXT);
        if (api == ModelApi.OPENAI) {
            return "data: {\"type\":\"response.created\",\"response\":{\"model\":\"%s\",\"usage\":null}}\n\n"
                            .formatted(model)
                    + "data: {\"type\":\"response.output_text.delta\",\"item_id\":\"item_0123456789abcdef\",\"sequence_number\":1,\"delta\":\"%s\"}\n\n"
                            .formatted(text)
                            .repeat(deltas)
                    + "data: {\"type\":\"response.completed\",\"response\":{\"model\":\"%s\",\"usage\":%s}}\n\n"
                            .formatted(model, usage(api, tokens));
        }
        return "data: {\"type\":\"message_start\",\"message\":{\"model\":\"%s\",\"usage\":%s}}\n\n"
                        .formatted(model, usage(api, tokens.withOutput(0)))
                + "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"%s\"}}\n\n"
                        .formatted(text)
                        .repeat(deltas)
                + "data: {\"type\":\"message_delta\",\"usage\":{\"output_tokens\":%d}}\n\ndata: {\"type\":\"message_stop\"}\n\n"
                        .formatted(tokens.output());
    }

    /** Counts the complete lines that contain {@code part}. */
    private static int count(String text, String part) {
        return (int)
                text.lines()
                        .limit(Math.max(0, text.chars().filter(c -> c == '\n').count()))
                        .filter(line -> line.contains(part))
                        .count();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }
}
