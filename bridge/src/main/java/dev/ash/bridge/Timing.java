package dev.ash.bridge;

import dev.ash.bridge.engine.Turn;
import dev.ash.protocol.json.JsonWriter;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Writes one line of JSON per turn to stderr if {@code ASH_DEBUG_TIMING} is set. */
final class Timing {
    private final boolean enabled;
    private final Map<Turn, Clock> clocks = new ConcurrentHashMap<>();

    private static final class Clock {
        private final long receivedAt = System.nanoTime();
        private volatile long promptedAt = receivedAt;
        private volatile long firstMessageAt;
    }

    Timing(boolean enabled) {
        this.enabled = enabled;
    }

    void received(Turn turn) {
        if (enabled) {
            clocks.put(turn, new Clock());
        }
    }

    /** Called when the prompt leaves the queue and is sent to the engine. */
    void prompted(Turn turn) {
        var clock = clocks.get(turn);
        if (clock != null) {
            clock.promptedAt = System.nanoTime();
        }
    }

    void message(Turn turn) {
        var clock = enabled ? clocks.get(turn) : null;
        if (clock != null && clock.firstMessageAt == 0) {
            clock.firstMessageAt = System.nanoTime();
        }
    }

    void ended(Turn turn, String sessionId) {
        var clock = clocks.remove(turn);
        if (clock == null) {
            return;
        }
        long now = System.nanoTime();
        long first = clock.firstMessageAt == 0 ? now : clock.firstMessageAt;
        var json = JsonWriter.object().put("type", "timing").put("source", "bridge");
        json.put("sessionId", sessionId).put("turnId", turn.id());
        json.put("queuedMs", millis(clock.receivedAt, clock.promptedAt));
        json.put("firstMessageMs", millis(clock.receivedAt, first));
        json.put("totalMs", millis(clock.receivedAt, now));
        System.err.println(json.end());
    }

    private static Number millis(long from, long to) {
        return Math.round((to - from) / 1e3) / 1e3;
    }
}
