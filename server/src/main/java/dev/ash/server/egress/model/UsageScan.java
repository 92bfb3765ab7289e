package dev.ash.server.egress.model;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Finds {@code model}, {@code type} and {@code usage} in a JSON document, byte by byte and by their
 * place, so that an answer which quotes a usage object changes nothing. Its memory is constant:
 * strings are cut, and containers below the relevant ones are only counted.
 */
final class UsageScan {
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
        long cached = Math.min(cachedPart, input); // which the Responses API counts as input too
        return new TokenCounts(
                input - cached, cacheWritten - hour, hour, cacheRead + cached, output, searches);
    }
}
