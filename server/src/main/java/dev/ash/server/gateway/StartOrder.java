package dev.ash.server.gateway;

import dev.ash.protocol.gateway.GatewayFrame;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Ensures that a connection receives {@code session_started} after the {@code session_ready} of the
 * same session: defers {@code session_started} frames while the connection starts a session.
 */
final class StartOrder {
    private final Consumer<GatewayFrame> sender;
    private final List<GatewayFrame> deferred = new ArrayList<>(); // guarded by this
    private int pendingStarts; // guarded by this

    StartOrder(Consumer<GatewayFrame> sender) {
        this.sender = sender;
    }

    synchronized void begin() {
        pendingStarts++;
    }

    /** Called after the answer to the request was sent. */
    synchronized void end() {
        pendingStarts--;
        if (pendingStarts == 0) {
            deferred.forEach(sender);
            deferred.clear();
        }
    }

    synchronized void send(GatewayFrame frame) {
        if (pendingStarts == 0) {
            sender.accept(frame);
        } else {
            deferred.add(frame);
        }
    }
}
