package dev.ash.server.egress.model;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Extracts the model and the usage from one JSON document of a model API, byte by byte. Checks the
 * paths of the fields, so that a usage object in the content has no effect. Uses constant memory:
 * truncates strings, and only counts containers below the relevant ones. The names of the fields
 * are unique across the APIs.
 */
final class UsageScan {
    private static final int MAX_TEXT = 128;

    /** The levels of the deepest relevant value, an element of {@code webSearchQueries}. */
    private static final int MAX_LEVELS = 5;

    /** The minimum depth of content in chunks, as in {@code choices[0].delta.content}. */
    private static final int CONTENT_DEPTH = 4;

    private enum State {
        BETWEEN,
        STRING,
        ESCAPE,
        SCALAR
    }

    private State state = State.BETWEEN;
    private final byte[] text = new byte[MAX_TEXT];
    private int textLength; // at most MAX_TEXT
    private long stringLength;
    private boolean textPending;
    private final String[] names = new String[MAX_LEVELS]; // of the open containers
    private int depth;
    private String name = "";
    private boolean ended;

    private String model = "";
    private String type = "";
    private boolean isList;
    private boolean isChunk;
    private long contentLength;
    private boolean isError;
    private boolean isFinished;
    private boolean hasCounts;
    private long input;
    private long toolInput;
    private long cacheWritten;
    private long cacheHour;
    private long cacheRead;
    private long cachedPart;
    private long writtenPart;
    private long output;
    private long thoughts;
    private long total;
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
        stringLength++;
    }

    private void startText() {
        textLength = 0;
        stringLength = 0;
    }

    private void acceptBetween(byte b) {
        switch (b) {
            case ' ', '\t', '\r', '\n' -> {}
            case ':' -> {
                name = textPending ? text() : "";
                textPending = false;
            }
            case ',' -> endString();
            case '{', '[' -> open(b);
            case '}', ']' -> {
                endString();
                depth--;
                name = depth >= 0 && depth < MAX_LEVELS ? names[depth] : "";
                ended = depth <= 0;
            }
            case '"' -> {
                state = State.STRING;
                startText();
            }
            default -> {
                state = State.SCALAR;
                startText();
                append(b);
            }
        }
    }

    private void open(byte b) {
        if (depth == 0) {
            isList = b == '[';
        } else if (depth == 1) {
            isChunk |= name.equals("choices") || name.equals("candidates");
            isError |= b == '{' && name.equals("error");
        }
        if (depth < MAX_LEVELS) {
            names[depth] = name;
        }
        depth++;
        name = "";
    }

    private String text() {
        return new String(text, 0, textLength, StandardCharsets.UTF_8);
    }

    /** Stores the value that ended if it is a relevant string. */
    private void endString() {
        if (!textPending) {
            return;
        }
        textPending = false;
        if (depth >= CONTENT_DEPTH && isChunk) {
            contentLength += stringLength;
        }
        switch (name) {
            case "type" -> {
                if (depth == 1) {
                    type = text();
                } else if (isIn("output", messageDepth(), 2) && text().equals("web_search_call")) {
                    searches++;
                }
            }
            case "model", "modelVersion" -> {
                if (depth == messageDepth()) {
                    model = text();
                }
            }
            case "finish_reason", "finishReason" ->
                    isFinished |= isIn("choices", 1, 2) || isIn("candidates", 1, 2);
            case "" -> {
                if (isIn("candidates", 1, MAX_LEVELS - 1)
                        && names[MAX_LEVELS - 1].equals("webSearchQueries")) {
                    searches++;
                }
            }
            default -> {}
        }
    }

    /** Whether the value is {@code levels} levels below a field at {@code level}. */
    private boolean isIn(String container, int level, int levels) {
        return depth == level + levels && depth <= MAX_LEVELS && container.equals(names[level]);
    }

    /** Returns the number of containers around the fields of the message. */
    private int messageDepth() {
        return depth > 1 && ("message".equals(names[1]) || "response".equals(names[1])) ? 2 : 1;
    }

    private void endNumber() {
        int messageLevel = messageDepth();
        if (depth <= messageLevel || depth > MAX_LEVELS || !isUsage(names[messageLevel])) {
            return;
        }
        var path = String.join(".", Arrays.asList(names).subList(messageLevel + 1, depth));
        switch (path.isEmpty() ? name : path + "." + name) {
            case "input_tokens", "prompt_tokens", "promptTokenCount" -> input = parseCount();
            case "toolUsePromptTokenCount" -> toolInput = parseCount();
            case "cache_creation_input_tokens" -> cacheWritten = parseCount();
            case "cache_creation.ephemeral_1h_input_tokens" -> cacheHour = parseCount();
            case "cache_read_input_tokens" -> cacheRead = parseCount();
            case "input_tokens_details.cached_tokens",
                    "prompt_tokens_details.cached_tokens",
                    "cachedContentTokenCount" ->
                    cachedPart = parseCount();
            case "input_tokens_details.cache_write_tokens",
                    "prompt_tokens_details.cache_write_tokens" ->
                    writtenPart = parseCount();
            case "output_tokens", "completion_tokens", "candidatesTokenCount" ->
                    output = parseCount();
            case "thoughtsTokenCount" -> thoughts = parseCount();
            case "total_tokens", "totalTokenCount" -> total = parseCount();
            case "server_tool_use.web_search_requests" -> searches = parseCount();
            default -> {}
        }
    }

    private static boolean isUsage(String container) {
        return container.equals("usage") || container.equals("usageMetadata");
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

    /** Returns whether the document is not an object, like the end of a stream of chunks. */
    boolean isList() {
        return isList;
    }

    /** Returns whether the document has parts of a response of the Chat or of the Gemini API. */
    boolean isChunk() {
        return isChunk || (type.isEmpty() && hasCounts);
    }

    /** Returns the number of bytes of the strings in the content of a chunk. */
    long contentLength() {
        return contentLength;
    }

    /** Returns whether the document is an error instead of a part of a response. */
    boolean isError() {
        return isError;
    }

    /** Returns whether the document states why the response ended. */
    boolean isFinished() {
        return isFinished;
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

    /**
     * Returns the counts. Except in Anthropic's API, the input includes its cached parts. Some
     * hosts do not include reasoning in the output, but in the total.
     */
    TokenCounts counts() {
        long hour = Math.min(cacheHour, cacheWritten);
        long cached = Math.min(cachedPart, input);
        long written = Math.min(writtenPart, input - cached);
        long produced = Math.max(output + thoughts, total - input - toolInput);
        return new TokenCounts(
                input - cached - written + toolInput,
                cacheWritten - hour + written,
                hour,
                cacheRead + cached,
                Math.max(produced, 0),
                searches);
    }
}
