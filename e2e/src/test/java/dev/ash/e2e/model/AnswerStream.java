package dev.ash.e2e.model;

import java.io.IOException;
import tools.jackson.databind.JsonNode;

/** Writes one model answer as the events of a provider API. Not thread-safe. */
interface AnswerStream {
    void begin(String id, String model) throws IOException;

    void beginText() throws IOException;

    void text(String piece) throws IOException;

    void endBlock() throws IOException;

    void toolUse(String id, String name, JsonNode input) throws IOException;

    /** {@code stopReason} is a value of the Messages API. */
    void end(String stopReason) throws IOException;

    default void wholeText(String text) throws IOException {
        beginText();
        // Split between code points, so that no piece ends inside a surrogate pair.
        int[] points = text.codePoints().toArray();
        for (int from = 0; from < points.length; from += 7) {
            text(new String(points, from, Math.min(7, points.length - from)));
        }
        endBlock();
    }
}
