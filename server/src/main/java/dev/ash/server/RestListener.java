package dev.ash.server;

import dev.ash.server.http.Endpoint;
import dev.ash.server.http.HttpServer;
import dev.ash.server.http.Sockets;
import dev.ash.server.identity.Authenticator;
import dev.ash.server.store.Storage;
import dev.ash.server.tls.Certificates;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** Listens for REST requests until the server is stopped. */
final class RestListener {
    private static final System.Logger LOG = System.getLogger("ash.server");

    private final ServerConfig config;
    private final Storage storage;
    private final Authenticator authenticator;
    private final Certificates certificates;

    RestListener(
            ServerConfig config,
            Storage storage,
            Authenticator authenticator,
            Certificates certificates) {
        this.config = config;
        this.storage = storage;
        this.authenticator = authenticator;
        this.certificates = certificates;
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
        var certificate = config.tls().certificate(certificates);
        try (var server =
                new HttpServer(config.http(), authenticator, endpoints, sockets, certificate)) {
            int port = server.start();
            long now = System.currentTimeMillis();
            try (var _ =
                    new RestAddress(config, storage.resolve("server.pid"), port, now)
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
