package dev.ash.server.gateway;

import dev.ash.protocol.gateway.GatewayFrame;
import java.nio.ByteBuffer;
import java.time.Clock;
import java.util.concurrent.atomic.AtomicLong;
import org.eclipse.jetty.websocket.api.Callback;
import org.eclipse.jetty.websocket.api.Session;

/** Sends frames over a WebSocket, and gives up on a device that lets too much pile up. */
final class SocketLink implements DeviceLink {
    private static final long MAX_WAITING_CHARS = 8L * 1024 * 1024;
    private static final int POLICY = 1008; // closed for a reason that the device was told

    private final Session socket;
    private final Clock clock;
    private final AtomicLong waiting = new AtomicLong();

    SocketLink(Session socket, Clock clock) {
        this.socket = socket;
        this.clock = clock;
    }

    @Override
    public void send(GatewayFrame frame) {
        var text = frame.text(clock.instant().toString());
        if (waiting.addAndGet(text.length()) > MAX_WAITING_CHARS) {
            socket.disconnect();
            return;
        }
        socket.sendText(
                text,
                Callback.from(() -> waiting.addAndGet(-text.length()), _ -> socket.disconnect()));
    }

    @Override
    public void ping(long number) {
        socket.sendPing(ByteBuffer.allocate(Long.BYTES).putLong(0, number), Callback.NOOP);
    }

    @Override
    public void close(String reason) {
        close(POLICY, reason);
    }

    void close(int status, String reason) {
        socket.close(status, reason, Callback.NOOP);
    }
}
