package dev.ash.server.gateway;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.function.LongConsumer;

/**
 * Sends the pings of one connection and runs an action for each when the device has confirmed it. A
 * pong confirms all earlier pings: the standard allows a device to answer only the latest of
 * several.
 */
final class Pings {
    /** A device that never confirms a ping gets at most this many. */
    private static final int MAX_PENDING = 4096;

    private final LongConsumer ping;
    private final Deque<Pending> pending = new ArrayDeque<>(); // guarded by this
    private long lastNumber; // guarded by this

    private record Pending(long number, Runnable onPong) {}

    /** {@code ping} sends a ping with a number after all earlier frames. */
    Pings(LongConsumer ping) {
        this.ping = ping;
    }

    /** Sends a ping; {@code onPong} runs once, when the device has received all earlier frames. */
    synchronized void send(Runnable onPong) {
        lastNumber++;
        pending.add(new Pending(lastNumber, onPong));
        ping.accept(lastNumber);
    }

    synchronized boolean isFull() {
        return pending.size() >= MAX_PENDING;
    }

    /** Handles a pong; ignores unsolicited ones. */
    void pong(long number) {
        var confirmed = new ArrayList<Pending>();
        synchronized (this) {
            if (number > lastNumber) {
                return;
            }
            while (!pending.isEmpty() && pending.getFirst().number() <= number) {
                confirmed.add(pending.removeFirst());
            }
        }
        confirmed.forEach(ping -> ping.onPong().run());
    }
}
