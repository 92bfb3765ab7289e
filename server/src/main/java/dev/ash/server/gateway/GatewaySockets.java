package dev.ash.server.gateway;

import dev.ash.server.http.Origins;
import dev.ash.server.http.SocketHandler;
import dev.ash.server.http.SocketRequest;
import dev.ash.server.http.Sockets;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * Accepts and pings the WebSockets of all devices, on every listener. A WebSocket is encrypted if
 * its own connection is, or if a trusted proxy reports it.
 */
final class GatewaySockets implements Sockets, AutoCloseable {
    static final List<String> PATHS = List.of("/", "/ws", "/api/v1/ws");

    private static final Duration PING_INTERVAL = Duration.ofSeconds(20);

    /** Longer than the interval of heartbeats (15 seconds) and pings: a silent device is gone. */
    private static final Duration SILENCE_TIMEOUT = Duration.ofSeconds(60);

    private final ConnectionClassifier classifier;
    private volatile Origins origins;
    private final ConnectionContext context;
    private final Connections connections;
    private final Thread pingThread;

    GatewaySockets(
            ConnectionClassifier classifier,
            Origins origins,
            ConnectionContext context,
            GatewayConfig.Limits limits) {
        this.classifier = classifier;
        this.origins = origins;
        this.context = context;
        this.connections = new Connections(limits);
        this.pingThread = Thread.ofVirtual().name("gateway-pings").start(this::pingPeriodically);
    }

    /** Sets the accepted hosts and origins, after the gateway has moved to another address. */
    void setOrigins(Origins origins) {
        this.origins = origins;
    }

    @Override
    public List<String> paths() {
        return PATHS;
    }

    @Override
    public SocketHandler accept(SocketRequest request) {
        for (var origin : request.values("Origin")) { // sent by browsers, for any web page
            origins.check(request.host(), request.authority(), origin);
        }
        var source = classifier.classify(request.peer(), request.isEncrypted(), forwarded(request));
        return new GatewaySocket(source, context, connections);
    }

    private static ForwardedHeaders forwarded(SocketRequest request) {
        boolean hasOther =
                request.has("Forwarded")
                        || request.has("X-Forwarded-Host")
                        || request.has("X-Real-IP");
        return new ForwardedHeaders(
                values(request, "X-Forwarded-For"), values(request, "X-Forwarded-Proto"), hasOther);
    }

    private static List<String> values(SocketRequest request, String name) {
        return request.values(name).stream()
                .flatMap(value -> Stream.of(value.split(",", -1)))
                .map(String::strip)
                .toList();
    }

    private void pingPeriodically() {
        try {
            while (true) {
                Thread.sleep(PING_INTERVAL);
                connections.all().forEach(socket -> socket.pingUnlessSilentFor(SILENCE_TIMEOUT));
            }
        } catch (InterruptedException e) {
            // The gateway is closing.
        }
    }

    boolean isConnected(String deviceId) {
        return !connections.ofDevice(deviceId).isEmpty();
    }

    @Override
    public void close() {
        pingThread.interrupt();
        connections.all().forEach(socket -> socket.close("The server is shutting down"));
    }
}
