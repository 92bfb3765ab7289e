package dev.ash.server.gateway;

import dev.ash.server.device.Device;
import dev.ash.server.http.Socket;
import dev.ash.server.http.SocketHandler;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Handles the events and timeouts of one WebSocket, and passes its messages to a connection. */
final class GatewaySocket implements SocketHandler, DeviceConnection.Listener {
    private static final Duration AUTH_TIMEOUT = Duration.ofSeconds(10);

    /**
     * Devices send {@code auth} immediately; insecure clients that do not are refused after this.
     */
    private static final Duration FIRST_MESSAGE_TIMEOUT = Duration.ofSeconds(1);

    private static final int GOING_AWAY = 1001;
    private static final int UNSUPPORTED = 1003;

    private final ConnectionSource source;
    private final ConnectionContext context;
    private final Connections connections;
    private volatile long lastReceivedNanos = System.nanoTime();
    private volatile @Nullable Connection connection;
    private volatile @Nullable SocketLink link;

    GatewaySocket(ConnectionSource source, ConnectionContext context, Connections connections) {
        this.source = source;
        this.context = context;
        this.connections = connections;
    }

    @Override
    public void opened(Socket socket) {
        var newLink = new SocketLink(socket, context.clock());
        var newConnection =
                source.encrypted()
                        ? new DeviceConnection(source, context, newLink, this)
                        : new InsecureConnection(context, newLink);
        link = newLink;
        connection = newConnection;
        var exceededLimit = connections.add(this, source.address());
        if (exceededLimit.isPresent()) {
            newConnection.refuse(ConnectionRefusal.tooManyConnections(exceededLimit.get()));
            return;
        }
        newConnection.opened();
        Thread.ofVirtual()
                .name("gateway-auth")
                .start(() -> enforceTimeouts(newConnection, newLink));
    }

    private static void enforceTimeouts(Connection connection, SocketLink link) {
        try {
            if (link.awaitClose(FIRST_MESSAGE_TIMEOUT)) {
                return;
            }
            connection.firstMessageOverdue();
            if (link.awaitClose(AUTH_TIMEOUT.minus(FIRST_MESSAGE_TIMEOUT))) {
                return;
            }
        } catch (InterruptedException e) {
            return; // this thread is never interrupted
        }
        connection.authenticationOverdue();
    }

    @Override
    public void text(String text) {
        lastReceivedNanos = System.nanoTime();
        var present = connection;
        if (present != null) {
            present.received(text);
        }
    }

    @Override
    public void binary() {
        var present = link;
        if (present != null) {
            present.close(UNSUPPORTED, "Binary messages are not supported; send text");
        }
    }

    @Override
    public void pong(long number) {
        lastReceivedNanos = System.nanoTime();
        var present = connection;
        if (present != null) {
            present.pong(number);
        }
    }

    @Override
    public void closed() {
        connections.remove(this);
        var present = link;
        if (present != null) {
            present.closed();
        }
        var served = connection;
        if (served != null) {
            served.closed();
        }
    }

    /** Pings the device, or disconnects it if nothing was received for this long. */
    void pingUnlessSilentFor(Duration silence) {
        var present = link;
        if (present == null) {
            return;
        }
        if (System.nanoTime() - lastReceivedNanos > silence.toNanos()) {
            present.disconnect();
        } else {
            present.ping(0);
            var served = connection;
            if (served != null) {
                served.checkAcknowledgment();
            }
        }
    }

    @Override
    public void authenticated(Device device) {
        var present = link;
        if (present != null) {
            present.raiseLimits();
        }
        connections.setDevice(this, device.id()).ifPresent(GatewaySocket::refuseAsTooMany);
    }

    private void refuseAsTooMany() {
        ifConnected(
                connection ->
                        connection.refuse(
                                ConnectionRefusal.tooManyConnections(
                                        "This device has opened too many newer connections")));
    }

    @Override
    public void acknowledged(Device device) {
        connections.ofDevice(device.id()).stream()
                .filter(other -> other != this)
                .forEach(other -> other.ifConnected(Connection::acknowledgedOnOtherConnection));
    }

    private void ifConnected(Consumer<Connection> action) {
        var present = connection;
        if (present != null) {
            action.accept(present);
        }
    }

    void close(String reason) {
        var present = link;
        if (present != null) {
            present.close(GOING_AWAY, reason);
        }
    }
}
