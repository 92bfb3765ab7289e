package dev.ash.server.egress.model;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

/**
 * Extracts the usage of a model call from its response while it is forwarded. The response is one
 * JSON object, or an event stream with the usage in {@code message_start} and {@code
 * message_delta}, or in {@code response.completed}. Uses constant memory and never fails.
 */
final class UsageMeter {
    /** The length of a delta event without its text. */
    private static final int DELTA_OVERHEAD = 90;

    private static final int BYTES_PER_TOKEN = 3;
    private static final String DATA = "data:";

    private final boolean events;
    private Scan scan = new Scan();
    private int lineLength;
    private boolean dataLine = true; // whether the line may be a data line, as far as it was read
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

    void accept(byte[] bytes, int length) {
        for (int i = 0; i < length && !complete; i++) {
            if (!events) {
                acceptObjectByte(bytes[i]);
            } else if (bytes[i] == '\n') {
                endLine();
            } else {
                acceptLineByte(bytes[i]);
            }
        }
    }

    /** Returns whether the usage is final, even if more bytes of the response follow. */
    boolean isComplete() {
        return complete;
    }

    /**
     * Returns the usage; empty if the model failed before it started to respond. A truncated
     * response costs its input and its streamed output, or the estimate if it shows neither.
     */
    Optional<ModelUsage> usage(Prices prices, ModelUsage estimate) {
        if (events) {
            endLine(); // the last line may lack its line end
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

    private void acceptObjectByte(byte b) {
        scan.accept(b);
        if (scan.isEnded()) {
            applyScan();
            finalCounts = scan.hasCounts();
            complete = true;
        }
    }

    private void acceptLineByte(byte b) {
        if (lineLength < DATA.length()) {
            dataLine = dataLine && b == DATA.charAt(lineLength);
        } else if (dataLine) {
            scan.accept(b);
        }
        lineLength++;
    }

    private void endLine() {
        if (dataLine && scan.isEnded()) {
            handleEvent();
        }
        scan = new Scan();
        lineLength = 0;
        dataLine = true;
    }

    private void handleEvent() {
        var type = scan.type();
        if (type.equals("content_block_delta") || type.endsWith(".delta")) {
            streamedOutput += Math.max(1, (lineLength - DELTA_OVERHEAD) / BYTES_PER_TOKEN);
            return;
        }
        switch (type) {
            case "message_start", "response.created" -> applyScan();
            case "message_delta" -> {
                applyScan();
                finalCounts = finalCounts || scan.hasCounts();
            }
            case "message_stop" -> complete = true;
            case "response.completed", "response.incomplete", "response.failed" -> {
                applyScan();
                finalCounts = scan.hasCounts();
                failed = type.equals("response.failed");
                complete = true;
            }
            case "error" -> failed = true;
            default -> {}
        }
    }

    private void applyScan() {
        counts = counts.max(scan.counts());
        if (!scan.model().isEmpty()) {
            model = scan.model();
        }
    }

    /**
     * Extracts {@code model}, {@code type} and {@code usage} from a JSON document, byte by byte.
     * Checks their paths, so that a usage object in the content has no effect. Uses constant
     * memory: truncates strings, and only counts containers below the relevant ones.
     */
    private static final class Scan {
        private static final int MAX_TEXT = 128;

        /** The levels of the root, {@code message}, {@code usage} and its details. */
        private static final int MAX_LEVELS = 4;

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
        private final String[] names = new String[MAX_LEVELS]; // of the open containers
        private int depth;
        private String name = "";
        private boolean ended;

        private String model = "";
        private String type = "";
        private boolean hasCounts;
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
                case STRING -> acceptInString(b);
                case ESCAPE -> {
                    append((byte) '?'); // no relevant name contains an escape
                    state = State.STRING;
                }
                case SCALAR -> {
                    if (b == ',' || b == '}' || b == ']' || (b >= 0 && b <= ' ')) {
                        state = State.BETWEEN;
                        endNumber();
                        acceptBetween(b);
                    } else {
                        append(b);
                    }
                }
                case BETWEEN -> acceptBetween(b);
            }
        }

        private void acceptInString(byte b) {
            switch (b) {
                case '"' -> {
                    state = State.BETWEEN;
                    textPending = true;
                }
                case '\\' -> state = State.ESCAPE;
                default -> append(b);
            }
        }

        private void append(byte b) {
            if (textLength < MAX_TEXT) {
                text[textLength++] = b;
            }
        }

        private void acceptBetween(byte b) {
            switch (b) {
                case ' ', '\t', '\r', '\n' -> {}
                case ':' -> {
                    name = textPending ? text() : "";
                    textPending = false;
                }
                case ',' -> endString();
                case '{', '[' -> {
                    if (depth < MAX_LEVELS) {
                        names[depth] = name;
                    }
                    depth++;
                    name = "";
                }
                case '}', ']' -> {
                    endString();
                    depth--;
                    name = depth >= 0 && depth < MAX_LEVELS ? names[depth] : "";
                    ended = depth <= 0;
                }
                case '"' -> {
                    state = State.STRING;
                    textLength = 0;
                }
                default -> {
                    state = State.SCALAR;
                    textLength = 0;
                    append(b);
                }
            }
        }

        private String text() {
            return new String(text, 0, textLength, StandardCharsets.UTF_8);
        }

        /** Stores the value that ended if it is a relevant string. */
        private void endString() {
            if (textPending) {
                textPending = false;
                if (depth == 1 && name.equals("type")) {
                    type = text();
                } else if (name.equals("model") && depth == messageDepth()) {
                    model = text();
                }
            }
        }

        /** Returns the number of containers around the fields of the message. */
        private int messageDepth() {
            return depth > 1 && ("message".equals(names[1]) || "response".equals(names[1])) ? 2 : 1;
        }

        private void endNumber() {
            int messageLevel = messageDepth();
            if (depth <= messageLevel
                    || depth > MAX_LEVELS
                    || !names[messageLevel].equals("usage")) {
                return;
            }
            var path = String.join(".", Arrays.asList(names).subList(messageLevel + 1, depth));
            switch (path.isEmpty() ? name : path + "." + name) {
                case "input_tokens" -> input = parseCount();
                case "cache_creation_input_tokens" -> cacheWritten = parseCount();
                case "cache_creation.ephemeral_1h_input_tokens" -> cacheHour = parseCount();
                case "cache_read_input_tokens" -> cacheRead = parseCount();
                case "input_tokens_details.cached_tokens" -> cachedPart = parseCount();
                case "output_tokens" -> output = parseCount();
                case "server_tool_use.web_search_requests" -> searches = parseCount();
                default -> {}
            }
        }

        private long parseCount() {
            try {
                long count = (long) Math.clamp(Double.parseDouble(text()), 0, Integer.MAX_VALUE);
                hasCounts = true;
                return count;
            } catch (NumberFormatException e) {
                return 0; // for example null
            }
        }

        /** Returns whether the outermost container was closed. */
        boolean isEnded() {
            return ended;
        }

        /** Returns whether the document contains token counts. */
        boolean hasCounts() {
            return hasCounts;
        }

        String model() {
            return model;
        }

        String type() {
            return type;
        }

        TokenCounts counts() {
            long hour = Math.min(cacheHour, cacheWritten);
            long cached = Math.min(cachedPart, input); // part of the input in the Responses API
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
