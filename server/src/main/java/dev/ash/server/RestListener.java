package dev.ash.server;

import dev.ash.server.http.Endpoint;
import dev.ash.server.http.HttpServer;
import dev.ash.server.http.Sockets;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** Listens for REST requests until the server is stopped. */
final class RestListener {
    private static final System.Logger LOG = System.getLogger("ash.server");

    private final ServerConfig config;
    private final ServerBase base;

    RestListener(ServerConfig config, ServerBase base) {
        this.config = config;
        this.base = base;
    }

    /**
     * Calls {@code started} once requests are accepted, and {@code stopping} while they still are:
     * turns end first, and with them their streams.
     */
    void serve(
            List<Endpoint> endpoints,
            Sockets sockets,
            Runnable started,
            Runnable stopping,
            CountDownLatch stop)
            throws IOException {
        var certificate = config.tls().certificate(base.certificates());
        try (var server =
                new HttpServer(
                        config.http(), base.authenticator(), endpoints, sockets, certificate)) {
            int port = server.start();
            long now = System.currentTimeMillis();
            try (var _ =
                    new RestAddress(config, base.storage().resolve("server.pid"), port, now)
                            .publish(certificate)) {
                config.tls().warn(LOG, config.apiKey());
                LOG.log(
                        System.Logger.Level.INFO,
                        "Ash {0} listens on {1}://{2}:{3}",
                        Version.current(),
                        certificate.isPresent() ? "https" : "http",
                        config.host(),
                        Integer.toString(port));
                started.run();
                ServerProcess.await(stop);
                LOG.log(System.Logger.Level.INFO, "Stopping: ending all sandboxes");
                stopping.run();
            }
        }
    }
}
