package dev.ash.server.http;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import java.io.IOException;
import java.net.BindException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.GracefulHandler;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

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
    private final ServerConnector connector;

    public HttpServer(HttpConfig config, Keys keys, List<Endpoint> endpoints) {
        this.config = config;
        var all = new ArrayList<>(endpoints);
        all.addAll(new Docs(endpoints).endpoints());
        server = new Server(threads());
        connector = connector();
        server.addConnector(connector);
        server.setErrorHandler(new JettyErrors(MAX_HEADER_BYTES));
        server.setStopTimeout(config.drain().toMillis());
        var guard = new Guard(new Bearer(keys), config.requestsPerMinute());
        var dispatcher = new Dispatcher(new Router(all), guard, new Origins(config));
        server.setHandler(new GracefulHandler(dispatcher));
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

    private ServerConnector connector() {
        var http = new HttpConfiguration();
        http.setSendServerVersion(false);
        http.setRequestHeaderSize(MAX_HEADER_BYTES);
        http.setUriCompliance(PATHS);
        var listening = new ServerConnector(server, 1, 1, new HttpConnectionFactory(http));
        listening.setHost(config.host());
        listening.setPort(config.port());
        listening.setAcceptQueueSize(ACCEPT_QUEUE);
        listening.setAcceptedTcpNoDelay(true);
        listening.setIdleTimeout(config.stalledReader().toMillis());
        return listening;
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
