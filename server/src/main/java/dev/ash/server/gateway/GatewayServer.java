package dev.ash.server.gateway;

import dev.ash.server.device.DeviceRoutes;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.SecureRequestCustomizer;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.eclipse.jetty.websocket.server.ServerUpgradeRequest;
import org.eclipse.jetty.websocket.server.ServerWebSocketContainer;
import org.eclipse.jetty.websocket.server.WebSocketUpgradeHandler;

/** Listens for devices, over TLS alone. */
public final class GatewayServer implements AutoCloseable, DeviceRoutes.Door {
    private static final List<String> PATHS = List.of("/", "/ws", "/api/v1/ws");
    private static final int MAX_MESSAGE = 4 * 1024 * 1024;

    /** Devices say something every 15 seconds; one that does not for this long is gone. */
    private static final Duration IDLE = Duration.ofSeconds(60);

    private final GatewayConfig config;
    private final TlsIdentity identity;
    private final Reaches reaches;
    private final DeviceConnection.Gate gate;
    private final Clock clock;
    private final Set<GatewaySocket> sockets = ConcurrentHashMap.newKeySet();
    private final Server server;
    private final ServerConnector connector;

    GatewayServer(
            GatewayConfig config, TlsIdentity identity, DeviceConnection.Gate gate, Clock clock) {
        this.config = config;
        this.identity = identity;
        this.gate = gate;
        this.clock = clock;
        this.reaches = new Reaches(config.proxies(), config.tunnels(), VpnInterfaces::subnets);
        this.server = new Server(threads());
        this.connector = connector();
        server.addConnector(connector);
        server.setHandler(WebSocketUpgradeHandler.from(server, this::configure));
        gate.devices().onRevoke(this::revoked);
    }

    private static QueuedThreadPool threads() {
        var threads = new QueuedThreadPool(16, 4);
        threads.setName("gateway");
        threads.setReservedThreads(0);
        threads.setVirtualThreadsExecutor(
                Executors.newThreadPerTaskExecutor(
                        Thread.ofVirtual().name("gateway-", 0).factory()));
        return threads;
    }

    private ServerConnector connector() {
        var http = new HttpConfiguration();
        http.setSendServerVersion(false);
        // Devices connect by whatever name or address leads here; the certificate is one for all.
        http.addCustomizer(new SecureRequestCustomizer(false));
        var tls = new SslContextFactory.Server();
        tls.setKeyStore(identity.keys());
        tls.setKeyStorePassword(identity.password());
        tls.setIncludeProtocols("TLSv1.3", "TLSv1.2");
        tls.setSniRequired(false);
        var listening =
                new ServerConnector(
                        server,
                        1,
                        1,
                        new SslConnectionFactory(tls, "http/1.1"),
                        new HttpConnectionFactory(http));
        listening.setHost(config.host());
        listening.setPort(config.port());
        listening.setAcceptedTcpNoDelay(true);
        return listening;
    }

    private void configure(ServerWebSocketContainer container) {
        container.setMaxTextMessageSize(MAX_MESSAGE);
        container.setMaxFrameSize(MAX_MESSAGE);
        container.setIdleTimeout(IDLE);
        for (var path : PATHS) {
            container.addMapping(path, (request, response, callback) -> admit(request));
        }
    }

    private GatewaySocket admit(ServerUpgradeRequest request) {
        var reach = reaches.of(peer(request), request.isSecure(), forwarded(request));
        var socket = new GatewaySocket(reach, gate, sockets::remove, clock);
        sockets.add(socket);
        return socket;
    }

    private static InetAddress peer(Request request) {
        return request.getConnectionMetaData().getRemoteSocketAddress()
                        instanceof InetSocketAddress address
                ? address.getAddress()
                : InetAddress.ofLiteral("0.0.0.0"); // not known to be a neighbour
    }

    private static Forwarded forwarded(Request request) {
        var headers = request.getHeaders();
        boolean other =
                headers.contains(HttpHeader.FORWARDED)
                        || headers.contains(HttpHeader.X_FORWARDED_HOST)
                        || headers.contains("X-Real-IP");
        return new Forwarded(
                values(request, HttpHeader.X_FORWARDED_FOR),
                values(request, HttpHeader.X_FORWARDED_PROTO),
                other);
    }

    private static List<String> values(Request request, HttpHeader name) {
        return request.getHeaders().getFields(name).stream()
                .map(HttpField::getValue)
                .flatMap(value -> Stream.of(value.split(",", -1)))
                .map(String::strip)
                .toList();
    }

    private void revoked(String deviceId) {
        sockets.stream()
                .filter(socket -> socket.isOf(deviceId))
                .forEach(socket -> socket.end("AUTH_FAILED"));
    }

    /** Begins to listen, and returns the port. */
    public int start() throws IOException {
        connector.open();
        try {
            server.start();
        } catch (Exception e) {
            throw new IOException("The gateway did not start", e);
        }
        return connector.getLocalPort();
    }

    @Override
    public Optional<DeviceRoutes.Address> address() {
        var url =
                config.url()
                        .orElseGet(
                                () ->
                                        "wss://%s:%d"
                                                .formatted(
                                                        config.host(), connector.getLocalPort()));
        boolean reachable = config.url().isPresent() || !isLoopback(config.host());
        return Optional.of(new DeviceRoutes.Address(url, identity.sha256(), reachable));
    }

    private static boolean isLoopback(String host) {
        return host.equals("localhost") || host.startsWith("127.") || host.equals("::1");
    }

    @Override
    public boolean isConnected(String deviceId) {
        return sockets.stream().anyMatch(socket -> socket.isOf(deviceId));
    }

    @Override
    public void close() {
        sockets.forEach(socket -> socket.end("The server stops"));
        try {
            connector.close();
            server.stop();
        } catch (Exception e) {
            System.getLogger(GatewayServer.class.getName())
                    .log(System.Logger.Level.DEBUG, "The gateway was stopped the hard way", e);
        }
    }
}
