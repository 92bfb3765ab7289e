package dev.ash.server.gateway;

import dev.ash.server.device.Device;
import dev.ash.server.http.Socket;
import dev.ash.server.http.SocketHandler;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One WebSocket of a device. */
final class GatewaySocket implements SocketHandler, DeviceConnection.Listener {
    private static final Duration AUTH = Duration.ofSeconds(10);

    /** Devices send {@code auth} immediately; one that waits for the server gets an answer then. */
    private static final Duration FIRST_MESSAGE = Duration.ofSeconds(1);

    private static final int GOING_AWAY = 1001;
    private static final int UNSUPPORTED = 1003;

    private final ConnectionSource source;
    private final ConnectionContext context;
    private final Connections connections;
    private volatile long heard = System.nanoTime();
    private volatile @Nullable Connection connection;
    private volatile @Nullable SocketLink link;

    GatewaySocket(ConnectionSource source, ConnectionContext context, Connections connections) {
        this.source = source;
        this.context = context;
        this.connections = connections;
    }

    @Override
    public void opened(Socket socket) {
        var opened = new SocketLink(socket, context.clock());
        var made =
                source.encrypted()
                        ? new DeviceConnection(source, context, opened, this)
                        : new InsecureConnection(context, opened);
        link = opened;
        connection = made;
        var tooMany = connections.open(this, source.address());
        if (tooMany.isPresent()) {
            made.refuse(ConnectionRefusal.tooManyConnections(tooMany.get()));
            return;
        }
        made.opened();
        Thread.ofVirtual().name("gateway-auth").start(() -> expire(made, opened));
    }

    private static void expire(Connection connection, SocketLink link) {
        try {
            if (link.awaitClose(FIRST_MESSAGE)) {
                return;
            }
            connection.firstMessageOverdue();
            if (link.awaitClose(AUTH.minus(FIRST_MESSAGE))) {
                return;
            }
        } catch (InterruptedException e) {
            return; // nobody does
        }
        connection.authenticationOverdue();
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
        connections.closed(this);
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
                served.checkAcknowledgment();
            }
        }
    }

    @Override
    public void authenticated(Device device) {
        var present = link;
        if (present != null) {
            present.authenticated();
        }
        connections.authenticated(this, device.id()).ifPresent(GatewaySocket::replaced);
    }

    /** A phone that lost its network often has old connections that nobody will use again. */
    private void replaced() {
        with(
                connection ->
                        connection.refuse(
                                ConnectionRefusal.tooManyConnections(
                                        "This device has opened too many other connections since")));
    }

    @Override
    public void acknowledged(Device device) {
        connections.of(device.id()).stream()
                .filter(other -> other != this)
                .forEach(other -> other.with(Connection::acknowledgedElsewhere));
    }

    private void with(Consumer<Connection> action) {
        var present = connection;
        if (present != null) {
            action.accept(present);
        }
    }

    void end(String reason) {
        var present = link;
        if (present != null) {
            present.close(GOING_AWAY, reason);
        }
    }
}
