package dev.ash.server.gateway;

import java.time.Clock;
import java.time.Duration;
import java.util.function.Consumer;
import org.eclipse.jetty.websocket.api.Callback;
import org.eclipse.jetty.websocket.api.Session;
import org.jspecify.annotations.Nullable;

/** One WebSocket of a device, as Jetty calls it. */
public final class GatewaySocket implements Session.Listener.AutoDemanding {
    private static final Duration AUTH = Duration.ofSeconds(10);
    private static final int UNSUPPORTED = 1003;

    private final Reach reach;
    private final DeviceConnection.Gate gate;
    private final Consumer<GatewaySocket> gone;
    private final Clock clock;
    private @Nullable DeviceConnection connection;
    private @Nullable SocketLink link;

    GatewaySocket(
            Reach reach, DeviceConnection.Gate gate, Consumer<GatewaySocket> gone, Clock clock) {
        this.reach = reach;
        this.gate = gate;
        this.gone = gone;
        this.clock = clock;
    }

    @Override
    public void onWebSocketOpen(Session socket) {
        var opened = new SocketLink(socket, clock);
        var made = new DeviceConnection(reach, gate, opened);
        link = opened;
        connection = made;
        made.opened();
        Thread.ofVirtual().name("gateway-auth").start(() -> expire(made));
    }

    private static void expire(DeviceConnection connection) {
        try {
            Thread.sleep(AUTH);
        } catch (InterruptedException e) {
            return; // nobody does
        }
        if (!connection.isIn()) {
            connection.refuse(null, "AUTH_FAILED", "No auth came within ten seconds", null);
        }
    }

    @Override
    public void onWebSocketText(String text) {
        if (connection != null) {
            connection.received(text);
        }
    }

    @Override
    public void onWebSocketBinary(java.nio.ByteBuffer bytes, Callback callback) {
        callback.succeed();
        if (link != null) {
            link.close(UNSUPPORTED, "Messages are text");
        }
    }

    @Override
    public void onWebSocketPong(java.nio.ByteBuffer payload) {
        if (connection != null && payload.remaining() == Long.BYTES) {
            connection.pong(payload.getLong(payload.position()));
        }
    }

    @Override
    public void onWebSocketError(Throwable cause) {
        over();
    }

    @Override
    public void onWebSocketClose(int status, String reason, Callback callback) {
        over();
        callback.succeed();
    }

    private void over() {
        gone.accept(this);
        if (connection != null) {
            connection.closed();
        }
    }

    boolean isOf(String deviceId) {
        return connection != null && connection.isOf(deviceId);
    }

    void end(String reason) {
        if (link != null) {
            link.close(reason);
        }
    }
}
