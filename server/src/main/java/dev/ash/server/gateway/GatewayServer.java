package dev.ash.server.gateway;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.server.device.DeviceRoutes;
import dev.ash.server.http.Endpoint;
import dev.ash.server.http.Exchange;
import dev.ash.server.http.HttpServer;
import dev.ash.server.http.Origins;
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
        all.add(GatewayPage.endpoint());
        GatewaySockets.PATHS.forEach(
                path -> all.add(Endpoint.get(path).open().handledBy(GatewayServer::noSocket)));
        this.http = HttpServer.overTls(config.http(), authenticator, all, sockets, certificate);
    }

    private static void noSocket(Exchange exchange) {
        throw new ApiException(
                ErrorCode.VALIDATION_FAILED,
                "Devices connect here by WebSocket (wss://), and this request asks for none");
    }

    /**
     * Begins to listen.
     *
     * @throws ApiException with what to do about it, if that is not possible
     */
    void start() {
        http.limit(new ListenerLimit(config));
        try {
            port = http.start();
        } catch (ApiException e) {
            throw new ApiException(
                    ErrorCode.VALIDATION_FAILED, ListenFailure.explain(config, e), e);
        }
    }

    GatewayConfig config() {
        return config;
    }

    int port() {
        return port;
    }

    /** Lets open connections go on, and takes no more. */
    void stopAccepting() {
        http.stopAccepting();
    }

    /** Whether both cannot listen at the same time. */
    boolean overlaps(GatewayConfig other) {
        return port == other.port()
                && (config.host().equals(other.host())
                        || ANY.contains(config.host())
                        || ANY.contains(other.host()));
    }

    /** Whether devices find the other where they found this one. */
    boolean isCoveredBy(GatewayConfig other) {
        return port == other.port()
                && (config.host().equals(other.host()) || ANY.contains(other.host()));
    }

    DeviceRoutes.Address address() {
        var url = config.url().orElseGet(() -> "wss://%s:%d".formatted(host(), port));
        boolean reachable = config.url().isPresent() || !Origins.isLoopback(config.host());
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

    @Override
    public void close() {
        http.close();
    }
}
