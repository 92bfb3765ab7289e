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
 * The events of one session that a device has received on all its connections. A {@code
 * stream_start} restarts the text of its message; any other duplicate is a repeat, which the server
 * may send only for unconfirmed events.
 */
final class ReceivedEvents {
    private final Map<String, StringBuilder> texts = new LinkedHashMap<>();
    private final Set<String> open = new HashSet<>(); // messages with an open stream
    private final Map<String, JsonNode> results = new LinkedHashMap<>();
    private final Set<String> order = new LinkedHashSet<>(); // in the order of first receipt
    private final Set<String> onThisConnection = new HashSet<>(); // items of the current connection
    private final List<String> received = new ArrayList<>(); // since the last ping
    private final List<String> confirmed = new ArrayList<>();
    private final List<Repeat> repeats = new ArrayList<>();
    private final List<String> faults = new ArrayList<>();
    private int chunks;
    private int turns;
    private int discarded; // number of confirmed items that no longer count
    private List<String> pinged = List.of(); // received on this connection before the last ping

    /** {@code confirmed} are the confirmed items when the duplicate was received. */
    private record Repeat(String what, List<String> confirmed) {}

    /** A pong confirms only what was received on its connection. */
    void onConnect() {
        onThisConnection.clear();
        received.clear();
        pinged = List.of();
    }

    /** Only one ping is in flight: a new one shows that the server received the last pong. */
    void onPing() {
        confirmed.addAll(pinged);
        pinged = List.copyOf(received);
        received.clear();
    }

    /** Discards confirmations that a killed server may not have stored. */
    void discardConfirmations() {
        discarded = confirmed.size();
        pinged = List.of();
    }

    void onFrame(JsonNode frame) {
        var payload = frame.path("payload");
        var call = payload.path("tool_call_id").asString("");
        switch (frame.path("type").asString()) {
            case "stream_start", "stream_chunk", "stream_end" ->
                    stream(frame.path("type").asString(), payload);
            case "tool_call" -> complete("call " + call);
            case "approval_required" -> {
                if (results.containsKey(call)) {
                    faults.add("approval requested for " + call + " after its result");
                }
                complete("approval " + call);
            }
            case "tool_result" -> {
                results.put(call, payload.path("result"));
                complete("result " + call);
            }
            case "usage" -> {
                if (complete("end " + frame.path("id").asString())) {
                    turns++;
                }
            }
            default -> faults.add("unexpected frame: " + frame);
        }
    }

    private void stream(String type, JsonNode payload) {
        var id = payload.path("message_id").asString();
        switch (type) {
            case "stream_start" -> {
                addItem("text " + id);
                texts.put(id, new StringBuilder());
                open.add(id);
            }
            case "stream_chunk" -> {
                chunks++;
                if (!open.contains(id)) {
                    faults.add("chunk of " + id + ", which has no open stream");
                } else if (!payload.path("is_tool_use").asBoolean()) {
                    texts.get(id).append(payload.path("content").asString());
                }
            }
            default -> {
                if (!texts.containsKey(id)) {
                    faults.add("end of " + id + ", which was not started");
                }
                open.remove(id);
                received.add("text " + id);
            }
        }
    }

    private boolean complete(String what) {
        boolean isNew = addItem(what);
        received.add(what);
        return isNew;
    }

    /** Returns whether the item is new. */
    private boolean addItem(String what) {
        if (!onThisConnection.add(what)) {
            faults.add(what + " was sent twice on one connection");
        }
        boolean isNew = order.add(what);
        if (!isNew) {
            repeats.add(
                    new Repeat(what, List.copyOf(confirmed.subList(discarded, confirmed.size()))));
        }
        return isNew;
    }

    /** Returns the number of distinct items. */
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

    /** Returns whether a question is open. */
    boolean hasOpenQuestion() {
        return order.stream()
                .filter(what -> what.startsWith("approval "))
                .anyMatch(what -> !results.containsKey(what.substring("approval ".length())));
    }

    void assertMatches(ExpectedEvents expected) {
        assertThat(faults).isEmpty();
        assertThat(order).containsExactlyElementsOf(expected.order());
        texts.forEach(
                (id, text) -> assertThat(text.toString()).as(id).isEqualTo(expected.text(id)));
        assertThat(open).as("open streams").isEmpty();
        results.forEach(
                (call, result) ->
                        assertThat(result.path("content").asString())
                                .isEqualTo(expected.result(call)));
        repeats.forEach(repeat -> assertMayRepeat(repeat, expected));
    }

    /**
     * Questions are repeated until they are answered. A message may restart while no later item is
     * confirmed, because its end is not logged.
     */
    private void assertMayRepeat(Repeat repeat, ExpectedEvents expected) {
        if (repeat.what().startsWith("approval ")) {
            return;
        }
        long last = repeat.confirmed().stream().mapToLong(expected::seq).max().orElse(0);
        long least = repeat.what().startsWith("text ") ? last : last + 1;
        assertThat(expected.seq(repeat.what()))
                .as("%s was repeated after event %d was confirmed", repeat.what(), last)
                .isGreaterThanOrEqualTo(least);
    }

    void assertHasNoRepeats() {
        assertThat(repeats).isEmpty();
    }
}
