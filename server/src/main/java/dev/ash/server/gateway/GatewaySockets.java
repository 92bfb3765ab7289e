package dev.ash.server.gateway;

import dev.ash.server.http.Origins;
import dev.ash.server.http.SocketHandler;
import dev.ash.server.http.SocketRequest;
import dev.ash.server.http.Sockets;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * The WebSockets of all devices, on whichever listener they came in. Whether one is encrypted is a
 * matter of its own connection, or of the word of a trusted proxy.
 */
final class GatewaySockets implements Sockets, AutoCloseable {
    static final List<String> PATHS = List.of("/", "/ws", "/api/v1/ws");

    /** Devices say something every 15 seconds, and every WebSocket answers a ping. */
    private static final Duration PING = Duration.ofSeconds(20);

    /** One that does neither for this long is gone. */
    private static final Duration SILENCE = Duration.ofSeconds(60);

    private final ConnectionClassifier classifier;
    private volatile Origins origins;
    private final ConnectionContext context;
    private final Connections connections;
    private final Thread pings;

    GatewaySockets(
            ConnectionClassifier classifier,
            Origins origins,
            ConnectionContext context,
            GatewayConfig.Limits limits) {
        this.classifier = classifier;
        this.origins = origins;
        this.context = context;
        this.connections = new Connections(limits);
        this.pings = Thread.ofVirtual().name("gateway-pings").start(this::ping);
    }

    /** The gateway answers to other names now. */
    void use(Origins other) {
        origins = other;
    }

    @Override
    public List<String> paths() {
        return PATHS;
    }

    @Override
    public SocketHandler accept(SocketRequest request) {
        for (var origin : request.values("Origin")) { // a page in a browser, perhaps anybody's
            origins.check(request.host(), request.authority(), origin);
        }
        var source = classifier.classify(request.peer(), request.isEncrypted(), forwarded(request));
        return new GatewaySocket(source, context, connections);
    }

    private static Forwarded forwarded(SocketRequest request) {
        boolean other =
                request.has("Forwarded")
                        || request.has("X-Forwarded-Host")
                        || request.has("X-Real-IP");
        return new Forwarded(
                values(request, "X-Forwarded-For"), values(request, "X-Forwarded-Proto"), other);
    }

    private static List<String> values(SocketRequest request, String name) {
        return request.values(name).stream()
                .flatMap(value -> Stream.of(value.split(",", -1)))
                .map(String::strip)
                .toList();
    }

    private void ping() {
        try {
            while (true) {
                Thread.sleep(PING);
                connections.all().forEach(socket -> socket.pingUnlessSilentFor(SILENCE));
            }
        } catch (InterruptedException e) {
            // The gateway closes.
        }
    }

    boolean isConnected(String deviceId) {
        return !connections.of(deviceId).isEmpty();
    }

    @Override
    public void close() {
        pings.interrupt();
        connections.all().forEach(socket -> socket.end("The server stops"));
    }
}
