package dev.ash.server;

import dev.ash.server.http.Endpoint;
import dev.ash.server.http.HttpServer;
import dev.ash.server.http.Sockets;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** Serves REST requests until the server stops. */
final class RestListener {
    private static final System.Logger LOG = System.getLogger("ash.server");

    private final RestSettings settings;
    private final ServerBase base;

    RestListener(RestSettings settings, ServerBase base) {
        this.settings = settings;
        this.base = base;
    }

    /**
     * Calls {@code started} after the listener accepts requests, and {@code stopping} before it
     * stops accepting them, so that turns end and their streams complete.
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
                        "Ash {0} is listening on {1}://{2}:{3}",
                        Version.current(),
                        certificate.isPresent() ? "https" : "http",
                        settings.host(),
                        Integer.toString(port));
                started.run();
                ServerProcess.await(stop);
                LOG.log(System.Logger.Level.INFO, "Stopping: closing all sandboxes");
                stopping.run();
            }
        }
    }
}
