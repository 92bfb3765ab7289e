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

    static CallPlan random(Random random, WireText wire, String placeholder) {
        var ending = ending(random);
        var models = wire.models();
        var model = models.get(random.nextInt(models.size()));
        int maxOutput = 200 + random.nextInt(8000);
        boolean hour = random.nextInt(4) == 0;
        var body = wire.body(model, maxOutput, random.nextInt(1500), hour);
        int size = Math.min(body.length() / 2, (int) CallSize.MAX_TOKENS);
        int deltas = random.nextInt(5);
        var tokens = tokens(random, wire, size, hour, deltas, maxOutput);
        var events = wire.events(model, tokens, deltas);
        var object = wire.object(model, tokens);
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
        var request = request(random, wire.path(model), body, placeholder);
        if (ending == Ending.UPLOAD_ABORTED) {
            request = request.substring(0, request.length() - 1 - random.nextInt(20));
        }
        int streamed = count(events.substring(0, cut), wire.deltaMark());
        var charged =
                tokens.withOutput(Math.min(tokens.output(), streamed * (WireText.DELTA_TEXT / 4L)));
        return new CallPlan(
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
            Random random, WireText wire, int size, boolean hour, int deltas, int maxOutput) {
        int input = random.nextInt(size + 1);
        int cached = random.nextInt(input + 1);
        boolean written = wire.writesCache() && random.nextBoolean();
        int minOutput = deltas * WireText.DELTA_TEXT / 4;
        int output = minOutput + random.nextInt(maxOutput - minOutput);
        return new TokenCounts(
                input - cached,
                written && !hour ? cached : 0,
                written && hour ? cached : 0,
                written ? 0 : cached,
                output,
                0);
    }

    private static String request(Random random, String path, String body, String placeholder) {
        var head = "POST %s HTTP/1.1\r\nHost: m\r\nx-api-key: %s\r\n".formatted(path, placeholder);
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
