package dev.ash.server.egress.model;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

/**
 * Reads the usage of a call from its response while it is forwarded: one JSON object, or events of
 * which {@code message_start} and {@code message_delta} count, or {@code response.completed}. It
 * takes constant memory and never fails.
 */
final class UsageMeter {
    /** The length of a delta event without its text. */
    private static final int DELTA_OVERHEAD = 90;

    private static final int BYTES_PER_TOKEN = 3;
    private static final String DATA = "data:";

    private final boolean events;
    private Scan scan = new Scan();
    private int lineLength;
    private boolean data = true; // whether the line so far begins as one with data does
    private boolean complete;
    private boolean failed;
    private String model = "";
    private TokenCounts counts = TokenCounts.ZERO;
    private long streamedOutput;
    private boolean finalCounts;

    private UsageMeter(boolean events) {
        this.events = events;
    }

    static UsageMeter ofEvents() {
        return new UsageMeter(true);
    }

    static UsageMeter ofObject() {
        return new UsageMeter(false);
    }

    void piece(byte[] bytes, int length) {
        for (int i = 0; i < length && !complete; i++) {
            if (!events) {
                object(bytes[i]);
            } else if (bytes[i] == '\n') {
                line();
            } else {
                inLine(bytes[i]);
            }
        }
    }

    /** Whether the usage is final, even if the response has bytes left. */
    boolean complete() {
        return complete;
    }

    /**
     * The usage; empty if the model failed before it began to respond. A response that broke off
     * costs its input and its streamed output; without either, it costs the estimate.
     */
    Optional<ModelUsage> usage(Prices prices, ModelUsage estimate) {
        if (events) {
            line(); // the last one may have no end
        }
        var name = model.isEmpty() ? estimate.model() : model;
        if (finalCounts) {
            return Optional.of(prices.usage(name, counts, true));
        }
        var known = counts.withOutput(Math.max(counts.output(), streamedOutput));
        if (events && known.prompt() > 0) {
            return Optional.of(prices.usage(name, known, false));
        }
        if (events && streamedOutput > 0) {
            return Optional.of(prices.usage(name, known.withInput(estimate.input()), false));
        }
        return failed ? Optional.empty() : Optional.of(estimate);
    }

    private void object(byte b) {
        scan.accept(b);
        if (scan.ended()) {
            take();
            finalCounts = scan.counted();
            complete = true;
        }
    }

    private void inLine(byte b) {
        if (lineLength < DATA.length()) {
            data = data && b == DATA.charAt(lineLength);
        } else if (data) {
            scan.accept(b);
        }
        lineLength++;
    }

    private void line() {
        if (data && scan.ended()) {
            event();
        }
        scan = new Scan();
        lineLength = 0;
        data = true;
    }

    private void event() {
        var type = scan.type();
        if (type.equals("content_block_delta") || type.endsWith(".delta")) {
            streamedOutput += Math.max(1, (lineLength - DELTA_OVERHEAD) / BYTES_PER_TOKEN);
            return;
        }
        switch (type) {
            case "message_start", "response.created" -> take();
            case "message_delta" -> {
                take();
                finalCounts = finalCounts || scan.counted();
            }
            case "message_stop" -> complete = true;
            case "response.completed", "response.incomplete", "response.failed" -> {
                take();
                finalCounts = scan.counted();
                failed = type.equals("response.failed");
                complete = true;
            }
            case "error" -> failed = true;
            default -> {}
        }
    }

    private void take() {
        counts = counts.max(scan.counts());
        if (!scan.model().isEmpty()) {
            model = scan.model();
        }
    }

    /**
     * Finds {@code model}, {@code type} and {@code usage} in a JSON document, byte by byte and by
     * their place, so that an answer which quotes a usage object changes nothing. Its memory is
     * constant: strings are cut, and containers below the relevant ones are only counted.
     */
    private static final class Scan {
        private static final int MAX_TEXT = 128;

        /** The root, {@code message}, {@code usage} and its details. */
        private static final int MAX_NAMES = 4;

        private enum State {
            BETWEEN,
            STRING,
            ESCAPE,
            SCALAR
        }

        private State state = State.BETWEEN;
        private final byte[] text = new byte[MAX_TEXT];
        private int textLength;
        private boolean textPending;
        private final String[] names = new String[MAX_NAMES]; // of the open containers
        private int depth;
        private String name = "";
        private boolean ended;

        private String model = "";
        private String type = "";
        private boolean counted;
        private long input;
        private long cacheWritten;
        private long cacheHour;
        private long cacheRead;
        private long cachedPart;
        private long output;
        private long searches;

        void accept(byte b) {
            if (ended) {
                return;
            }
            switch (state) {
                case STRING -> inString(b);
                case ESCAPE -> {
                    keep((byte) '?'); // no name that counts has one
                    state = State.STRING;
                }
                case SCALAR -> {
                    if (b == ',' || b == '}' || b == ']' || (b >= 0 && b <= ' ')) {
                        state = State.BETWEEN;
                        number();
                        between(b);
                    } else {
                        keep(b);
                    }
                }
                case BETWEEN -> between(b);
            }
        }

        private void inString(byte b) {
            switch (b) {
                case '"' -> {
                    state = State.BETWEEN;
                    textPending = true;
                }
                case '\\' -> state = State.ESCAPE;
                default -> keep(b);
            }
        }

        private void keep(byte b) {
            if (textLength < MAX_TEXT) {
                text[textLength++] = b;
            }
        }

        private void between(byte b) {
            switch (b) {
                case ' ', '\t', '\r', '\n' -> {}
                case ':' -> {
                    name = textPending ? text() : "";
                    textPending = false;
                }
                case ',' -> string();
                case '{', '[' -> {
                    if (depth < MAX_NAMES) {
                        names[depth] = name;
                    }
                    depth++;
                    name = "";
                }
                case '}', ']' -> {
                    string();
                    depth--;
                    name = depth >= 0 && depth < MAX_NAMES ? names[depth] : "";
                    ended = depth <= 0;
                }
                case '"' -> {
                    state = State.STRING;
                    textLength = 0;
                }
                default -> {
                    state = State.SCALAR;
                    textLength = 0;
                    keep(b);
                }
            }
        }

        private String text() {
            return new String(text, 0, textLength, StandardCharsets.UTF_8);
        }

        /** The value that ended, if it is a string. */
        private void string() {
            if (textPending) {
                textPending = false;
                if (depth == 1 && name.equals("type")) {
                    type = text();
                } else if (name.equals("model") && depth == outer()) {
                    model = text();
                }
            }
        }

        /** How many containers enclose the message: the root, and {@code message} or the like. */
        private int outer() {
            return depth > 1 && ("message".equals(names[1]) || "response".equals(names[1])) ? 2 : 1;
        }

        private void number() {
            int outer = outer();
            if (depth <= outer || depth > MAX_NAMES || !names[outer].equals("usage")) {
                return;
            }
            var place = String.join(".", Arrays.asList(names).subList(outer + 1, depth));
            switch (place.isEmpty() ? name : place + "." + name) {
                case "input_tokens" -> input = count();
                case "cache_creation_input_tokens" -> cacheWritten = count();
                case "cache_creation.ephemeral_1h_input_tokens" -> cacheHour = count();
                case "cache_read_input_tokens" -> cacheRead = count();
                case "input_tokens_details.cached_tokens" -> cachedPart = count();
                case "output_tokens" -> output = count();
                case "server_tool_use.web_search_requests" -> searches = count();
                default -> {}
            }
        }

        private long count() {
            try {
                long count = (long) Math.clamp(Double.parseDouble(text()), 0, Integer.MAX_VALUE);
                counted = true;
                return count;
            } catch (NumberFormatException e) {
                return 0; // such as null
            }
        }

        /** Whether the outermost container was closed. */
        boolean ended() {
            return ended;
        }

        /** Whether it has a number of tokens. */
        boolean counted() {
            return counted;
        }

        String model() {
            return model;
        }

        String type() {
            return type;
        }

        TokenCounts counts() {
            long hour = Math.min(cacheHour, cacheWritten);
            long cached =
                    Math.min(cachedPart, input); // which the Responses API counts as input too
            return new TokenCounts(
                    input - cached,
                    cacheWritten - hour,
                    hour,
                    cacheRead + cached,
                    output,
                    searches);
        }
    }
}
