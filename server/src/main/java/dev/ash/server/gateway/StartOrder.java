package dev.ash.server.gateway;

import dev.ash.protocol.gateway.GatewayFrame;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Sends {@code session_started} after the {@code session_ready} of the same session: while a
 * connection starts sessions, those frames wait, because their session may be the one that starts.
 */
final class StartOrder {
    private final Consumer<GatewayFrame> link;
    private final List<GatewayFrame> deferred = new ArrayList<>(); // guarded by this
    private int running; // guarded by this

    StartOrder(Consumer<GatewayFrame> link) {
        this.link = link;
    }

    synchronized void begin() {
        running++;
    }

    /** The answer to the request was sent. */
    synchronized void end() {
        running--;
        if (running == 0) {
            deferred.forEach(link);
            deferred.clear();
        }
    }

    synchronized void started(GatewayFrame frame) {
        if (running == 0) {
            link.accept(frame);
        } else {
            deferred.add(frame);
        }
    }
}
