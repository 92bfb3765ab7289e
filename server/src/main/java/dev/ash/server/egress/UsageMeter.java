package dev.ash.server.egress;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.async.ByteArrayFeeder;
import tools.jackson.core.json.JsonFactory;

/**
 * Reads what a call used from its answer as it passes: one JSON object, or events of which {@code
 * message_start} and {@code message_delta} count, or {@code response.completed}. It holds one line
 * at most and never fails; an answer that it cannot read counts with what was understood.
 */
final class UsageMeter {
    /** The last event of the Responses API repeats the whole answer. */
    private static final int MAX_LINE = 4 * 1024 * 1024;

    private static final int MAX_STRING = 16 * 1024 * 1024;

    /** What surrounds the text in an event that brings a piece of it. */
    private static final int DELTA_OVERHEAD = 90;

    private static final int BYTES_A_TOKEN = 3;

    private static final JsonFactory JSON =
            JsonFactory.builder()
                    .streamReadConstraints(
                            StreamReadConstraints.builder().maxStringLength(MAX_STRING).build())
                    .build();

    private final boolean events;
    private byte[] line = new byte[1024];
    private int lineLength;
    private int lineOverflow;
    private final UsageScan document = new UsageScan();
    private @Nullable JsonParser parser;
    private boolean complete;
    private String model = "";
    private TokenCounts counts = TokenCounts.ZERO;
    private long estimatedOutput;
    private boolean finalCounts;

    private UsageMeter(boolean events) {
        this.events = events;
        this.parser =
                events ? null : JSON.createNonBlockingByteArrayParser(ObjectReadContext.empty());
    }

    static UsageMeter ofEvents() {
        return new UsageMeter(true);
    }

    static UsageMeter ofObject() {
        return new UsageMeter(false);
    }

    void piece(byte[] bytes, int length) {
        if (events) {
            lines(bytes, length);
        } else if (parser != null) {
            object(parser, Arrays.copyOf(bytes, length));
        }
    }

    /** Whether all that will be known is known, though the answer may have bytes left. */
    boolean complete() {
        return complete;
    }

    /** Whether the model said anything that costs. */
    boolean anything() {
        return !model.isEmpty() || !counts.equals(TokenCounts.ZERO) || estimatedOutput > 0;
    }

    /** {@code estimatedInput} counts where an answer broke off before it told its tokens. */
    Usage usage(Prices prices, ModelApi api, long estimatedInput) {
        var tokens = finalCounts ? counts : estimated(estimatedInput);
        boolean priced = prices.knows(model);
        return new Usage(
                model,
                tokens.input(),
                tokens.cacheCreation(),
                tokens.cacheRead(),
                tokens.output(),
                priced || api.countsUnknownModels() ? prices.cost(model, tokens) : 0,
                priced,
                finalCounts);
    }

    private TokenCounts estimated(long input) {
        var known = counts.withOutput(Math.max(counts.output(), estimatedOutput));
        return known.prompt() > 0 ? known : known.withInput(input);
    }

    private void object(JsonParser json, byte[] piece) {
        estimatedOutput += piece.length / BYTES_A_TOKEN;
        try {
            ((ByteArrayFeeder) json.nonBlockingInputFeeder()).feedInput(piece, 0, piece.length);
            for (var token = json.nextToken();
                    token != null && token != JsonToken.NOT_AVAILABLE;
                    token = json.nextToken()) {
                document.token(token, json);
            }
            take(document);
            if (document.ended()) {
                finalCounts = true;
                complete = true;
            }
        } catch (JacksonException e) {
            parser = null; // not JSON after all
        }
    }

    private void lines(byte[] bytes, int length) {
        for (int i = 0; i < length; i++) {
            byte b = bytes[i];
            if (b == '\n') {
                line();
                lineLength = 0;
                lineOverflow = 0;
            } else if (lineLength < MAX_LINE) {
                if (lineLength == line.length) {
                    line = Arrays.copyOf(line, 2 * line.length);
                }
                line[lineLength++] = b;
            } else {
                lineOverflow++;
            }
        }
    }

    private void line() {
        if (startsWith("data:")) {
            int whole = lineLength + lineOverflow;
            if (lineOverflow > 0 || contains("\"content_block_delta\"") || contains(".delta\"")) {
                estimatedOutput += Math.max(1, (whole - DELTA_OVERHEAD) / BYTES_A_TOKEN);
            } else {
                event();
            }
        }
    }

    private void event() {
        var scan = new UsageScan();
        try (var json = JSON.createParser(ObjectReadContext.empty(), line, 5, lineLength - 5)) {
            for (var token = json.nextToken(); token != null; token = json.nextToken()) {
                scan.token(token, json);
            }
        } catch (JacksonException e) {
            return; // what is no JSON says nothing of tokens
        }
        switch (scan.type()) {
            case "message_start", "response.created" -> take(scan);
            case "message_delta" -> {
                take(scan);
                finalCounts = true;
            }
            case "message_stop" -> complete = true;
            case "response.completed", "response.incomplete", "response.failed" -> {
                take(scan);
                finalCounts = true;
                complete = true;
            }
            default -> {}
        }
    }

    private void take(UsageScan scan) {
        counts = counts.max(scan.counts());
        if (!scan.model().isEmpty()) {
            model = scan.model();
        }
    }

    private boolean startsWith(String prefix) {
        return lineLength >= prefix.length() && at(0, prefix);
    }

    /** Near the beginning, where the type of an event stands. */
    private boolean contains(String word) {
        int last = Math.min(lineLength, 64) - word.length();
        for (int i = 0; i <= last; i++) {
            if (at(i, word)) {
                return true;
            }
        }
        return false;
    }

    private boolean at(int offset, String word) {
        for (int i = 0; i < word.length(); i++) {
            if (line[offset + i] != word.charAt(i)) {
                return false;
            }
        }
        return true;
    }
}
