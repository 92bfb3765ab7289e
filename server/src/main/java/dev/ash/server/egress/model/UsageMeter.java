package dev.ash.server.egress.model;

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
    private UsageScan scan = new UsageScan();
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
        scan = new UsageScan();
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
}
