package dev.ash.server.gateway;

import dev.ash.server.http.Socket;
import dev.ash.server.http.SocketHandler;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One WebSocket of a device. */
final class GatewaySocket implements SocketHandler {
    private static final Duration AUTH = Duration.ofSeconds(10);
    private static final int GOING_AWAY = 1001;
    private static final int UNSUPPORTED = 1003;

    private final Reach reach;
    private final DeviceConnection.Gate gate;
    private final Consumer<GatewaySocket> gone;
    private volatile long heard = System.nanoTime();
    private volatile @Nullable DeviceConnection connection;
    private volatile @Nullable SocketLink link;

    GatewaySocket(Reach reach, DeviceConnection.Gate gate, Consumer<GatewaySocket> gone) {
        this.reach = reach;
        this.gate = gate;
        this.gone = gone;
    }

    @Override
    public void opened(Socket socket) {
        var opened = new SocketLink(socket, gate.clock());
        var made = new DeviceConnection(reach, gate, opened);
        link = opened;
        connection = made;
        made.opened();
        Thread.ofVirtual().name("gateway-auth").start(() -> expire(made, opened));
    }

    private static void expire(DeviceConnection connection, SocketLink link) {
        try {
            if (link.awaitClose(AUTH)) {
                return;
            }
        } catch (InterruptedException e) {
            return; // nobody does
        }
        connection.expired();
    }

    @Override
    public void text(String text) {
        heard = System.nanoTime();
        var present = connection;
        if (present != null) {
            present.received(text);
        }
    }

    @Override
    public void binary() {
        var present = link;
        if (present != null) {
            present.close(UNSUPPORTED, "Messages are text");
        }
    }

    @Override
    public void pong(long number) {
        heard = System.nanoTime();
        var present = connection;
        if (present != null) {
            present.pong(number);
        }
    }

    @Override
    public void closed() {
        gone.accept(this);
        var present = link;
        if (present != null) {
            present.closed();
        }
        var served = connection;
        if (served != null) {
            served.closed();
        }
    }

    void pingUnlessSilentFor(Duration silence) {
        var present = link;
        if (present == null) {
            return;
        }
        if (System.nanoTime() - heard > silence.toNanos()) {
            present.cut();
        } else {
            present.ping(0);
            var served = connection;
            if (served != null) {
                served.lookAgain();
            }
        }
    }

    boolean isOf(String deviceId) {
        var present = connection;
        return present != null && present.isOf(deviceId);
    }

    /** Its device may not connect any more. */
    void revoked() {
        var present = connection;
        if (present != null) {
            present.refuse(null, "AUTH_FAILED", "This device was revoked", "Pair it again");
        }
    }

    void end(String reason) {
        var present = link;
        if (present != null) {
            present.close(GOING_AWAY, reason);
        }
    }
}
