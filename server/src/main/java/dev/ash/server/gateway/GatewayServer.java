package dev.ash.server.gateway;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.server.device.DeviceRoutes;
import dev.ash.server.http.Endpoint;
import dev.ash.server.http.Exchange;
import dev.ash.server.http.HttpServer;
import dev.ash.server.identity.Authenticator;
import dev.ash.server.tls.ServerCertificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The listener of the gateway: devices, and hooks, over TLS alone. */
final class GatewayServer implements AutoCloseable {
    private static final Set<String> ANY = Set.of("0.0.0.0", "::", "[::]");

    private final GatewayConfig config;
    private final ServerCertificate certificate;
    private final HttpServer http;
    private int port;

    GatewayServer(
            GatewayConfig config,
            Authenticator authenticator,
            ServerCertificate certificate,
            GatewaySockets sockets,
            List<Endpoint> endpoints) {
        this.config = config;
        this.certificate = certificate;
        var all = new ArrayList<>(endpoints);
        GatewaySockets.PATHS.forEach(
                path -> all.add(Endpoint.get(path).open().handledBy(GatewayServer::noSocket)));
        this.http = HttpServer.overTls(config.http(), authenticator, all, sockets, certificate);
    }

    private static void noSocket(Exchange exchange) {
        throw new ApiException(
                ErrorCode.VALIDATION_FAILED,
                "Devices connect here by WebSocket (wss://), and this request asks for none");
    }

    /** Begins to listen, and returns the port. */
    int start() {
        http.limit(new ListenerLimit(config));
        port = http.start();
        return port;
    }

    DeviceRoutes.Address address() {
        var url = config.url().orElseGet(() -> "wss://%s:%d".formatted(host(), port));
        boolean reachable = config.url().isPresent() || !isLoopback(config.host());
        return new DeviceRoutes.Address(url, certificate.current().sha256(), reachable);
    }

    /** One that devices can connect to. */
    private String host() {
        var host = config.host();
        if (ANY.contains(host)) {
            host = LocalAddresses.best().orElse(host);
        }
        return host.contains(":") ? "[" + host + "]" : host;
    }

    private static boolean isLoopback(String host) {
        return host.equals("localhost") || host.startsWith("127.") || host.equals("::1");
    }

    @Override
    public void close() {
        http.close();
    }
}
