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
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Serves devices and hooks at one address, over TLS only. */
final class GatewayServer implements AutoCloseable {
    private static final Set<String> WILDCARDS = Set.of("0.0.0.0", "::", "[::]");

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
                path ->
                        all.add(
                                Endpoint.get(path)
                                        .open()
                                        .handledBy(GatewayServer::rejectPlainHttp)));
        this.http = HttpServer.overTls(config.http(), authenticator, all, sockets, certificate);
    }

    private static void rejectPlainHttp(Exchange exchange) {
        throw new ApiException(
                ErrorCode.VALIDATION_FAILED,
                "This path accepts only WebSocket connections (wss://)");
    }

    /**
     * Starts to listen. Waits up to {@code releaseTimeout} for an address that is still in use.
     *
     * @throws ApiException with a remedy, if the address cannot be used
     */
    void start(Duration releaseTimeout) {
        http.limit(new ListenerLimit(config));
        try {
            port = http.start(releaseTimeout);
        } catch (ApiException e) {
            throw new ApiException(
                    ErrorCode.VALIDATION_FAILED, ListenFailure.describe(config, e), e);
        }
    }

    GatewayConfig config() {
        return config;
    }

    int port() {
        return port;
    }

    /** Rejects new connections and keeps open ones. */
    void stopAccepting() {
        http.stopAccepting();
    }

    /** Returns whether this server and one at the other address cannot listen at the same time. */
    boolean overlaps(GatewayConfig other) {
        return port == other.port()
                && (config.host().equals(other.host())
                        || WILDCARDS.contains(config.host())
                        || WILDCARDS.contains(other.host()));
    }

    /** Returns whether a server at the other address also accepts connections to this one's. */
    boolean isCoveredBy(GatewayConfig other) {
        return port == other.port()
                && (config.host().equals(other.host()) || WILDCARDS.contains(other.host()));
    }

    DeviceRoutes.Address address() {
        var url = config.url().orElseGet(() -> "wss://%s:%d".formatted(host(), port));
        boolean reachable = config.url().isPresent() || !Origins.isLoopback(config.host());
        return new DeviceRoutes.Address(url, certificate.current().sha256(), reachable);
    }

    /** Returns a host that devices can connect to. */
    private String host() {
        var host = config.host();
        if (WILDCARDS.contains(host)) {
            host = LocalAddresses.best().orElse(host);
        }
        return host.contains(":") ? "[" + host + "]" : host;
    }

    @Override
    public void close() {
        http.close();
    }
}
