package dev.ash.server.egress.model;

import java.util.Optional;

/**
 * Extracts the usage of a model call from its response while it is forwarded. The response is one
 * JSON object, or an event stream. The events of the Messages and the Responses API have types, and
 * the usage is in {@code message_start} and {@code message_delta}, or in {@code
 * response.completed}. The other APIs send chunks without a type, with the usage in the last one or
 * in each. Uses constant memory and never fails.
 */
final class UsageMeter {
    /** The length of a delta event without its text. */
    private static final int DELTA_OVERHEAD = 90;

    private static final int BYTES_PER_TOKEN = 3;
    private static final String DATA = "data:";

    private final boolean events;
    private UsageScan scan = new UsageScan();
    private int lineLength;
    private boolean dataLine = true; // whether the line may be a data line, as far as it was read
    private boolean complete;
    private boolean failed;
    private String model = "";
    private TokenCounts counts = TokenCounts.ZERO;
    private long streamedOutput;
    private boolean hasFinalCounts;
    private boolean areChunksFinished;
    private boolean hasChunkCounts;

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
     * response costs its input and its streamed output, or the estimate if it shows neither. A
     * complete response without usage costs the estimate: it may include reasoning that was not
     * streamed.
     */
    Optional<ModelUsage> usage(Prices prices, ModelUsage estimate) {
        if (events) {
            endLine(); // the last line may lack its line end
        }
        var name = model.isEmpty() ? estimate.model() : model;
        if (hasFinalCounts || (areChunksFinished && hasChunkCounts)) {
            return Optional.of(prices.usage(name, counts, true));
        }
        if (areChunksFinished && (!failed || streamedOutput > 0)) {
            return Optional.of(estimate);
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
            hasFinalCounts = scan.hasCounts();
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
            if (scan.type().isEmpty()) {
                handleChunk();
            } else {
                handleEvent(scan.type());
            }
        }
        scan = new UsageScan();
        lineLength = 0;
        dataLine = true;
    }

    private void handleEvent(String type) {
        if (type.equals("content_block_delta") || type.endsWith(".delta")) {
            addStreamedOutput(lineLength - DELTA_OVERHEAD);
            return;
        }
        switch (type) {
            case "message_start", "response.created" -> applyScan();
            case "message_delta" -> {
                applyScan();
                hasFinalCounts = hasFinalCounts || scan.hasCounts();
            }
            case "message_stop" -> complete = true;
            case "response.completed", "response.incomplete", "response.failed" -> {
                applyScan();
                hasFinalCounts = scan.hasCounts();
                failed = type.equals("response.failed");
                complete = true;
            }
            case "error" -> failed = true;
            default -> {}
        }
    }

    /** A chunk with counts may follow the one that states why the response ended. */
    private void handleChunk() {
        if (scan.isList()) {
            areChunksFinished = true; // "[DONE]"
            complete = true;
        } else if (scan.isError()) {
            failed = true;
        } else if (scan.isChunk()) {
            addStreamedOutput(scan.contentLength());
            applyModel();
            areChunksFinished |= scan.isFinished();
            if (scan.hasCounts()) {
                counts = scan.counts(); // of the whole response so far
                hasChunkCounts = true;
            }
        }
    }

    private void addStreamedOutput(long bytes) {
        streamedOutput += Math.max(1, bytes / BYTES_PER_TOKEN);
    }

    private void applyScan() {
        counts = counts.max(scan.counts());
        applyModel();
    }

    private void applyModel() {
        if (!scan.model().isEmpty()) {
            model = scan.model();
        }
    }
}
