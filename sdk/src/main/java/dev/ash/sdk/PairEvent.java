package dev.ash.sdk;

import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.MalformedJsonException;
import java.util.Optional;

/**
 * Something that happened in a pair. {@code type} is {@code start}, {@code execute} (a peer was
 * asked), {@code result} (what it answered), {@code signal} (DONE, PASS or FAIL, and why), {@code
 * commit}, {@code proof}, {@code iteration} (the next round), {@code question}, {@code answer},
 * {@code state}, {@code error} or {@code end}; others may come.
 *
 * @param agent the peer that it is about, or nothing
 */
public record PairEvent(
        long id, String type, int round, String agent, String content, String timestamp) {

    /** Empty for a frame that is nothing of a pair's, such as a line that a crash tore. */
    public static Optional<PairEvent> of(SseFrame frame) {
        if (!frame.event().equals("pair")) {
            return Optional.empty();
        }
        try {
            var json = JsonObject.parse(frame.data());
            return Optional.of(
                    new PairEvent(
                            frame.number(),
                            json.string("type").orElse(""),
                            json.integer("iteration").orElse(0),
                            json.string("agent").orElse(""),
                            json.string("content").orElse(""),
                            json.string("timestamp").orElse("")));
        } catch (MalformedJsonException e) {
            return Optional.empty();
        }
    }

    /** What follows the first line of the content. */
    public String rest() {
        int end = content.indexOf('\n');
        return end < 0 ? "" : content.substring(end + 1);
    }

    public String firstLine() {
        return content.lines().findFirst().orElse("");
    }
}
