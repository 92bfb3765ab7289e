package dev.ash.e2e.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/**
 * What a device knows of one session, over all its connections. A {@code stream_start} begins the
 * text of its message anew; anything else that comes again is a repeat, which the server may only
 * send of what the device has not confirmed.
 */
final class Story {
    private final Map<String, StringBuilder> texts = new LinkedHashMap<>();
    private final Set<String> open = new HashSet<>(); // messages whose stream has not ended
    private final Map<String, JsonNode> results = new LinkedHashMap<>();
    private final Set<String> order = new LinkedHashSet<>(); // of what came for the first time
    private final Set<String> here = new HashSet<>(); // on this connection
    private final List<String> received = new ArrayList<>(); // and complete
    private final List<Repeat> repeats = new ArrayList<>();
    private final List<String> faults = new ArrayList<>();
    private int chunks;
    private int turns;
    private int confirmed; // so many of those that were received
    private int pinged;

    /** {@code confirmed} of what was received had been confirmed when this came again. */
    private record Repeat(String what, int confirmed) {}

    void connected() {
        here.clear();
        pinged = confirmed;
    }

    /** One ping is under way at a time: this one says that the last was answered. */
    void pinged() {
        confirmed = pinged;
        pinged = received.size();
    }

    /** The server was killed, perhaps before it kept what was confirmed. */
    void confirmedNothing() {
        confirmed = 0;
        pinged = 0;
    }

    void take(JsonNode frame) {
        var payload = frame.path("payload");
        var call = payload.path("tool_call_id").asString("");
        switch (frame.path("type").asString()) {
            case "stream_start", "stream_chunk", "stream_end" ->
                    stream(frame.path("type").asString(), payload);
            case "tool_call" -> whole("call " + call);
            case "approval_required" -> {
                if (results.containsKey(call)) {
                    faults.add("asked about " + call + " after its result came");
                }
                whole("approval " + call);
            }
            case "tool_result" -> {
                results.put(call, payload.path("result"));
                whole("result " + call);
            }
            case "usage" -> {
                if (whole("end " + frame.path("id").asString())) {
                    turns++;
                }
            }
            default -> faults.add("not expected: " + frame);
        }
    }

    private void stream(String type, JsonNode payload) {
        var id = payload.path("message_id").asString();
        switch (type) {
            case "stream_start" -> {
                begun("text " + id);
                texts.put(id, new StringBuilder());
                open.add(id);
            }
            case "stream_chunk" -> {
                chunks++;
                if (!open.contains(id)) {
                    faults.add("a piece of " + id + ", which is not open");
                } else if (!payload.path("is_tool_use").asBoolean()) {
                    texts.get(id).append(payload.path("content").asString());
                }
            }
            default -> {
                if (!texts.containsKey(id)) {
                    faults.add("the end of " + id + ", which never began");
                }
                open.remove(id);
                received.add("text " + id);
            }
        }
    }

    private boolean whole(String what) {
        boolean isNew = begun(what);
        received.add(what);
        return isNew;
    }

    /** Whether it came for the first time. */
    private boolean begun(String what) {
        if (!here.add(what)) {
            faults.add(what + " came twice on one connection");
        }
        boolean isNew = order.add(what);
        if (!isNew) {
            repeats.add(new Repeat(what, confirmed));
        }
        return isNew;
    }

    /** How many different texts, calls and the like have come. */
    int size() {
        return order.size();
    }

    int chunks() {
        return chunks;
    }

    int turns() {
        return turns;
    }

    int repeats() {
        return repeats.size();
    }

    /** Whether a question is open. */
    boolean isAsked() {
        return order.stream()
                .filter(what -> what.startsWith("approval "))
                .anyMatch(what -> !results.containsKey(what.substring("approval ".length())));
    }

    void assertIs(Truth truth) {
        assertThat(faults).isEmpty();
        assertThat(order).containsExactlyElementsOf(truth.order());
        texts.forEach((id, text) -> assertThat(text.toString()).as(id).isEqualTo(truth.text(id)));
        assertThat(open).as("streams that never ended").isEmpty();
        results.forEach(
                (call, result) ->
                        assertThat(result.path("content").asString())
                                .isEqualTo(truth.result(call)));
        repeats.forEach(repeat -> assertMayComeAgain(repeat, truth));
    }

    /**
     * Questions are asked until they are answered. A message may begin again while nothing after it
     * is confirmed: its end is in no log.
     */
    private void assertMayComeAgain(Repeat repeat, Truth truth) {
        if (repeat.what().startsWith("approval ")) {
            return;
        }
        long last =
                received.subList(0, repeat.confirmed()).stream()
                        .mapToLong(truth::seq)
                        .max()
                        .orElse(0);
        long least = repeat.what().startsWith("text ") ? last : last + 1;
        assertThat(truth.seq(repeat.what()))
                .as("%s came again, and event %d was confirmed", repeat.what(), last)
                .isGreaterThanOrEqualTo(least);
    }

    void assertHasNoRepeats() {
        assertThat(repeats).isEmpty();
    }
}
