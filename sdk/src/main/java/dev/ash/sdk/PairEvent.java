package dev.ash.sdk;

import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.MalformedJsonException;
import java.util.Optional;

/**
 * An event of a pair run. {@code type} is {@code start}, {@code execute} (a peer was prompted),
 * {@code result} (the peer's answer), {@code signal} (DONE, PASS or FAIL, with a reason), {@code
 * commit}, {@code proof}, {@code iteration} (the next round), {@code question}, {@code answer},
 * {@code state}, {@code error} or {@code end}; newer servers may send others.
 *
 * @param agent name of the peer, or empty
 */
public record PairEvent(
        long id, String type, int round, String agent, String content, String timestamp) {

    /** Parses a frame; empty for other frames and for lines truncated by a crash. */
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

    /** Returns the content after its first line. */
    public String rest() {
        int end = content.indexOf('\n');
        return end < 0 ? "" : content.substring(end + 1);
    }

    public String firstLine() {
        return content.lines().findFirst().orElse("");
    }
}
