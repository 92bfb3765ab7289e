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

    private final RestSettings settings;
    private final ServerBase base;

    RestListener(RestSettings settings, ServerBase base) {
        this.settings = settings;
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
        var certificate = settings.tls().certificate(base.certificates());
        try (var server =
                new HttpServer(
                        settings.http(), base.authenticator(), endpoints, sockets, certificate)) {
            int port = server.start();
            long now = System.currentTimeMillis();
            try (var _ =
                    new RestAddress(settings, base.storage().resolve("server.pid"), port, now)
                            .publish(certificate)) {
                settings.tls().warn(LOG, settings.apiKey());
                LOG.log(
                        System.Logger.Level.INFO,
                        "Ash {0} listens on {1}://{2}:{3}",
                        Version.current(),
                        certificate.isPresent() ? "https" : "http",
                        settings.host(),
                        Integer.toString(port));
                started.run();
                ServerProcess.await(stop);
                LOG.log(System.Logger.Level.INFO, "Stopping: ending all sandboxes");
                stopping.run();
            }
        }
    }
}
