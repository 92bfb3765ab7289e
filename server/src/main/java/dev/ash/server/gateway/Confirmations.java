package dev.ash.server.gateway;

import dev.ash.protocol.SessionId;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongConsumer;

/**
 * Learns how far a device has received what was sent to it. A ping goes behind the events, with a
 * number; the pong that every WebSocket library returns by itself repeats it, and what was sent
 * before that ping has arrived. One ping is under way at a time.
 */
final class Confirmations {
    private final LongConsumer ping;
    private final Confirmed confirmed;
    private final Map<SessionId, Long> last = new HashMap<>(); // that was sent
    private final Map<SessionId, Long> sent = new HashMap<>(); // since the last ping
    private Map<SessionId, Long> asked = Map.of();
    private long number;
    private boolean underWay;

    /** Keeps what a device has received, and runs {@code kept} when that is done. */
    interface Confirmed {
        void keep(Map<SessionId, Long> received, Runnable kept);
    }

    Confirmations(LongConsumer ping, Confirmed confirmed) {
        this.ping = ping;
        this.confirmed = confirmed;
    }

    /** Everything of this session up to this event was handed to the connection. */
    synchronized void sent(SessionId session, long seq) {
        if (last.getOrDefault(session, 0L) >= seq) {
            return; // nothing of the log came with it
        }
        last.put(session, seq);
        sent.put(session, seq);
        if (!underWay) {
            ask();
        }
    }

    /** The pong of a ping of ours came; any other is none of our business. */
    synchronized void pong(long repeated) {
        if (!underWay || repeated != number) {
            return;
        }
        number++; // a second pong of the same ping says nothing
        confirmed.keep(asked, this::kept);
    }

    /** Only now, so that the next ping tells a device that the last pong is kept for good. */
    private synchronized void kept() {
        underWay = false;
        if (!sent.isEmpty()) {
            ask();
        }
    }

    private void ask() {
        asked = Map.copyOf(sent);
        sent.clear();
        underWay = true;
        number++;
        ping.accept(number);
    }
}
