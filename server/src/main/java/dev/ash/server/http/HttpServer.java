package dev.ash.server.http;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.server.identity.Authenticator;
import dev.ash.server.tls.ServerCertificate;
import dev.ash.server.tls.TlsIdentity;
import java.io.IOException;
import java.net.BindException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.server.DetectorConnectionFactory;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.SecureRequestCustomizer;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.server.handler.GracefulHandler;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.jspecify.annotations.Nullable;

/** Listens, and lets each request be handled by its endpoint on a virtual thread of its own. */
public final class HttpServer implements AutoCloseable {
    private static final int MAX_HEADER_BYTES = 16 * 1024;

    /** Many clients come back at once after a restart; Jetty's own 50 makes them wait a second. */
    private static final int ACCEPT_QUEUE = 1024;

    /** The router cuts the raw path and decodes each segment once: nothing is ambiguous to it. */
    private static final UriCompliance PATHS =
            UriCompliance.from(UriCompliance.AMBIGUOUS_VIOLATIONS)
                    .with("Ash", UriCompliance.Violation.SUSPICIOUS_PATH_CHARACTERS);

    private final HttpConfig config;
    private final Server server;
    private final LimitedConnector connector;

    /** The API, with its own description. */
    public HttpServer(HttpConfig config, Authenticator keys, List<Endpoint> endpoints) {
        this(config, keys, endpoints, Sockets.NONE);
    }

    /** The same, and WebSockets. */
    public HttpServer(
            HttpConfig config, Authenticator keys, List<Endpoint> endpoints, Sockets sockets) {
        this(config, keys, endpoints, sockets, Optional.empty());
    }

    /** The same, over TLS if there is a certificate. */
    public HttpServer(
            HttpConfig config,
            Authenticator keys,
            List<Endpoint> endpoints,
            Sockets sockets,
            Optional<ServerCertificate> certificate) {
        this(config, keys, Docs.added(endpoints), sockets, certificate.orElse(null));
    }

    private HttpServer(
            HttpConfig config,
            Authenticator keys,
            List<Endpoint> endpoints,
            Sockets sockets,
            @Nullable ServerCertificate certificate) {
        this.config = config;
        server = new Server(threads());
        connector = connector(certificate);
        server.addConnector(connector);
        server.setErrorHandler(new JettyErrors(MAX_HEADER_BYTES));
        server.setStopTimeout(config.drain().toMillis());
        var guard = new Guard(new Bearer(keys), config.requestsPerMinute());
        var dispatcher = new Dispatcher(new Router(endpoints), guard, new Origins(config));
        // A WebSocket without TLS passes, because its handler can refuse it in its own protocol.
        var requests = certificate == null ? dispatcher : new EncryptedOnly(dispatcher);
        server.setHandler(new GracefulHandler(JettySockets.before(requests, sockets, server)));
    }

    /** These endpoints and WebSockets alone, over TLS. */
    public static HttpServer overTls(
            HttpConfig config,
            Authenticator keys,
            List<Endpoint> endpoints,
            Sockets sockets,
            ServerCertificate certificate) {
        return new HttpServer(config, keys, endpoints, sockets, certificate);
    }

    /** Limits the connections of this listener; to be called before {@link #start}. */
    public void limit(ConnectionLimit connections) {
        connector.limit(connections);
    }

    /** Begins to listen, and returns the port. */
    public int start() {
        try {
            connector.open();
        } catch (IOException e) {
            close();
            throw cannotListen(e);
        }
        try {
            server.start();
        } catch (Exception e) {
            close();
            throw new ApiException(ErrorCode.INTERNAL, "The HTTP server did not start", e);
        }
        return connector.getLocalPort();
    }

    /** Accepts no further connections; those that are open go on until {@link #close}. */
    public void stopAccepting() {
        connector.close();
    }

    /** Accepts nothing more, and gives requests under way a moment to end. */
    @Override
    public void close() {
        try {
            connector.close();
            server.stop();
        } catch (Exception e) {
            System.getLogger(HttpServer.class.getName())
                    .log(System.Logger.Level.DEBUG, "The HTTP server was stopped the hard way", e);
        }
    }

    private static QueuedThreadPool threads() {
        var threads = new QueuedThreadPool(16, 4);
        threads.setName("http");
        threads.setReservedThreads(0);
        threads.setVirtualThreadsExecutor(
                Executors.newThreadPerTaskExecutor(
                        Thread.ofVirtual().name("http-request-", 0).factory()));
        return threads;
    }

    private LimitedConnector connector(@Nullable ServerCertificate certificate) {
        var http = new HttpConfiguration();
        http.setSendServerVersion(false);
        http.setRequestHeaderSize(MAX_HEADER_BYTES);
        http.setUriCompliance(PATHS);
        var plain = new HttpConnectionFactory(http);
        if (certificate != null) {
            // Clients come by whatever name or address leads here; one certificate serves all.
            http.addCustomizer(new SecureRequestCustomizer(false));
        }
        var listening =
                certificate == null
                        ? new LimitedConnector(server, plain)
                        : new LimitedConnector(
                                server,
                                // Plain HTTP passes too, so that EncryptedOnly can refuse it in
                                // words.
                                new DetectorConnectionFactory(
                                        new SslConnectionFactory(
                                                tls(certificate), plain.getProtocol())),
                                plain);
        listening.setHost(config.host());
        listening.setPort(config.port());
        listening.setAcceptQueueSize(ACCEPT_QUEUE);
        listening.setAcceptedTcpNoDelay(true);
        listening.setIdleTimeout(config.stalledReader().toMillis());
        return listening;
    }

    private static SslContextFactory.Server tls(ServerCertificate certificate) {
        var tls = new SslContextFactory.Server();
        use(tls, certificate.usedBy(next -> reload(tls, next)));
        tls.setIncludeProtocols("TLSv1.3", "TLSv1.2");
        tls.setRenegotiationAllowed(false);
        tls.setSniRequired(false);
        return tls;
    }

    private static void use(SslContextFactory.Server tls, TlsIdentity identity) {
        tls.setKeyStore(identity.keys());
        tls.setKeyStorePassword(identity.password());
    }

    /** Open connections keep their keys; the next handshake has the new certificate. */
    private static void reload(SslContextFactory.Server tls, TlsIdentity identity) {
        if (!tls.isRunning()) { // not listening yet, or no longer
            use(tls, identity);
            return;
        }
        try {
            tls.reload(_ -> use(tls, identity));
        } catch (Exception e) {
            throw new ApiException(
                    ErrorCode.INTERNAL, "The new certificate could not be taken into use", e);
        }
    }

    private ApiException cannotListen(IOException failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            var text = String.valueOf(cause.getMessage());
            if (cause instanceof BindException && text.contains("in use")) {
                return new ApiException(
                        ErrorCode.INTERNAL,
                        "Port %d on %s is already in use; stop the program that has it, or set ASH_PORT to another port"
                                .formatted(config.port(), config.host()),
                        failure);
            }
        }
        return new ApiException(
                ErrorCode.INTERNAL,
                "Cannot listen on %s port %d (%s); set ASH_HOST to an address of this machine and ASH_PORT to a port you may use"
                        .formatted(config.host(), config.port(), rootMessage(failure)),
                failure);
    }

    private static String rootMessage(Throwable failure) {
        var cause = failure;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause.getClass().getSimpleName() + ": " + cause.getMessage();
    }
}
