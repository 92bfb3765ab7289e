package dev.ash.server.http;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.server.identity.Authenticator;
import dev.ash.server.tls.ServerCertificate;
import dev.ash.server.tls.TlsIdentity;
import java.io.IOException;
import java.net.BindException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.LockSupport;
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

/** An HTTP listener that runs each request on a virtual thread. */
public final class HttpServer implements AutoCloseable {
    private static final Duration RETRY_INTERVAL = Duration.ofMillis(10);
    private static final int MAX_HEADER_BYTES = 16 * 1024;

    /**
     * Many clients reconnect concurrently after a restart; with Jetty's default of 50 they wait.
     */
    private static final int ACCEPT_QUEUE = 1024;

    /** Ambiguous paths are safe: the router splits the raw path and decodes each segment once. */
    private static final UriCompliance PATHS =
            UriCompliance.from(UriCompliance.AMBIGUOUS_VIOLATIONS)
                    .with("Ash", UriCompliance.Violation.SUSPICIOUS_PATH_CHARACTERS);

    private final HttpConfig config;
    private final Server server;
    private final LimitedConnector connector;

    /** Serves these endpoints and their documentation. */
    public HttpServer(HttpConfig config, Authenticator keys, List<Endpoint> endpoints) {
        this(config, keys, endpoints, Sockets.NONE);
    }

    /** Also serves WebSockets. */
    public HttpServer(
            HttpConfig config, Authenticator keys, List<Endpoint> endpoints, Sockets sockets) {
        this(config, keys, endpoints, sockets, Optional.empty());
    }

    /** Uses TLS if there is a certificate. */
    public HttpServer(
            HttpConfig config,
            Authenticator keys,
            List<Endpoint> endpoints,
            Sockets sockets,
            Optional<ServerCertificate> certificate) {
        this(config, keys, DocsRoutes.addTo(endpoints), sockets, certificate.orElse(null));
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
        server.setErrorHandler(new JettyErrorHandler(MAX_HEADER_BYTES));
        server.setStopTimeout(config.drain().toMillis());
        var guard = new Guard(new BearerAuthentication(keys), config.requestsPerMinute());
        var dispatcher = new Dispatcher(new Router(endpoints), guard, new Origins(config));
        // Pass WebSockets without TLS: their handler rejects them in its own protocol.
        var requests = certificate == null ? dispatcher : new TlsRequired(dispatcher);
        server.setHandler(new GracefulHandler(JettySockets.before(requests, sockets, server)));
    }

    /** Serves only these endpoints and WebSockets, over TLS, without documentation. */
    public static HttpServer overTls(
            HttpConfig config,
            Authenticator keys,
            List<Endpoint> endpoints,
            Sockets sockets,
            ServerCertificate certificate) {
        return new HttpServer(config, keys, endpoints, sockets, certificate);
    }

    /**
     * Initializes the classes of Jetty and of the JSON library, which takes a quarter of a second.
     */
    public static void preload() {
        new Server(threads());
        Json.write(Map.of());
    }

    /** Limits the connections of this listener. Call before {@link #start}. */
    public void limit(ConnectionLimit connections) {
        connector.limit(connections);
    }

    /** Starts to listen and returns the port. */
    public int start() {
        return start(Duration.ZERO);
    }

    /**
     * Starts to listen and returns the port. Retries for {@code releaseTimeout}: a listener that
     * stops releases its address only when its blocked threads have returned.
     */
    public int start(Duration releaseTimeout) {
        long deadline = System.nanoTime() + releaseTimeout.toNanos();
        while (true) {
            try {
                connector.open();
                break;
            } catch (IOException e) {
                if (System.nanoTime() - deadline >= 0) {
                    close();
                    throw cannotListen(e);
                }
                LockSupport.parkNanos(RETRY_INTERVAL.toNanos());
            }
        }
        try {
            server.start();
        } catch (Exception e) {
            close();
            throw new ApiException(ErrorCode.INTERNAL, "Cannot start the HTTP server", e);
        }
        return connector.getLocalPort();
    }

    /** Accepts no further connections; open ones continue until {@link #close}. */
    public void stopAccepting() {
        connector.close();
    }

    /** Stops accepting connections, and waits briefly for requests in flight. */
    @Override
    public void close() {
        try {
            connector.close();
            server.stop();
        } catch (Exception e) {
            System.getLogger(HttpServer.class.getName())
                    .log(System.Logger.Level.DEBUG, "The HTTP server did not stop gracefully", e);
        }
    }

    private static QueuedThreadPool threads() {
        // Jetty's own queue starts the management of the JVM to find the size of a cache line.
        var threads = new QueuedThreadPool(16, 4, new LinkedBlockingQueue<>());
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
            // One certificate for all names and addresses of this server: do not check SNI.
            http.addCustomizer(new SecureRequestCustomizer(false));
        }
        var listening =
                certificate == null
                        ? new LimitedConnector(server, plain)
                        : new LimitedConnector(
                                server,
                                // Accept plain HTTP too: TlsRequired rejects it with a message.
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
        setIdentity(tls, certificate.subscribe(next -> reload(tls, next)));
        tls.setIncludeProtocols("TLSv1.3", "TLSv1.2");
        tls.setRenegotiationAllowed(false);
        tls.setSniRequired(false);
        return tls;
    }

    private static void setIdentity(SslContextFactory.Server tls, TlsIdentity identity) {
        tls.setKeyStore(identity.keys());
        tls.setKeyStorePassword(identity.password());
    }

    /** Open connections keep their session keys; new handshakes use the new certificate. */
    private static void reload(SslContextFactory.Server tls, TlsIdentity identity) {
        if (!tls.isRunning()) { // not listening yet, or no longer
            setIdentity(tls, identity);
            return;
        }
        try {
            tls.reload(_ -> setIdentity(tls, identity));
        } catch (Exception e) {
            throw new ApiException(ErrorCode.INTERNAL, "Cannot load the new certificate", e);
        }
    }

    private ApiException cannotListen(IOException failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            var text = String.valueOf(cause.getMessage());
            if (cause instanceof BindException && text.contains("in use")) {
                return new ApiException(
                        ErrorCode.INTERNAL,
                        "Port %d on %s is already in use; stop the program that uses it, or set ASH_PORT to another port"
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
