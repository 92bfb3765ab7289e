package dev.ash.server.session.turn;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.TurnId;
import dev.ash.protocol.json.JsonWriter;
import java.util.concurrent.TimeUnit;

/**
 * Measures one turn and prints the times as a line of JSON to standard error ({@code
 * ASH_DEBUG_TIMING=1}): until the prompt was committed, until the first message was sent to the
 * client, and until the end.
 */
final class TurnTiming {
    private final long startedAt = System.nanoTime();
    private long committed;
    private long firstMessage;
    private int events;

    void committed() {
        committed = System.nanoTime();
    }

    void sent(boolean isMessage) {
        events++;
        if (isMessage && firstMessage == 0) {
            firstMessage = System.nanoTime();
        }
    }

    void print(SessionId session, TurnId turn) {
        var line =
                JsonWriter.object()
                        .put("type", "timing")
                        .put("source", "server")
                        .put("sessionId", session.value())
                        .put("turnId", turn.value())
                        .put("lookupMs", millis(committed))
                        .put("firstEventMs", firstMessage == 0 ? null : millis(firstMessage))
                        .put("totalMs", millis(System.nanoTime()))
                        .put("eventCount", events)
                        .end();
        System.err.println(line);
    }

    /** With microseconds: the server's share of a turn is about a millisecond. */
    private Double millis(long until) {
        return TimeUnit.NANOSECONDS.toMicros(until - startedAt) / 1000.0;
    }
}
