package dev.ash.server.egress;

import dev.ash.server.egress.http.ClientConnection;
import dev.ash.server.egress.http.EgressLimits;
import dev.ash.server.egress.http.ProxyException;
import dev.ash.server.egress.http.ProxyExchange;
import dev.ash.server.egress.http.ProxySocket;
import dev.ash.server.egress.http.ResponseFilter;
import dev.ash.server.egress.http.ResponseObserver;
import dev.ash.server.egress.http.SandboxConnections;
import dev.ash.server.egress.http.TimedConnection;
import dev.ash.server.egress.model.ModelCalls;
import dev.ash.server.egress.policy.HostAndPort;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/** The proxy of one sandbox: accepts connections and dispatches their requests by target. */
final class SandboxProxy implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(SandboxProxy.class.getName());

    /** Connections above the limit that receive an error concurrently; more are closed silently. */
    private static final int MAX_CONCURRENT_REFUSALS = 16;

    private static final long RETRY_DELAY_MILLIS = 100;

    private final ProxySocket socket;
    private final SandboxConnections connections;
    private final HostAccess hosts;
    private final ModelCalls model;
    private final ToolCalls tools;
    private final EgressLimits limits;
    private final TimedConnection.Deadlines deadlines;
    private final AtomicInteger openConnections = new AtomicInteger();

    SandboxProxy(
            ProxySocket socket,
            SandboxConnections connections,
            HostAccess hosts,
            ModelCalls model,
            ToolCalls tools,
            EgressLimits limits,
            TimedConnection.Deadlines deadlines) {
        this.socket = socket;
        this.connections = connections;
        this.hosts = hosts;
        this.model = model;
        this.tools = tools;
        this.limits = limits;
        this.deadlines = deadlines;
        Thread.ofVirtual().name("egress-accept").start(this::accept);
    }

    private void accept() {
        while (!connections.isClosed()) {
            try {
                admit(socket.channel().accept());
            } catch (ClosedChannelException e) {
                return;
            } catch (IOException e) {
                LOG.log(
                        System.Logger.Level.WARNING,
                        "cannot accept a connection of a sandbox: " + e);
                pause(); // for example out of file descriptors: some may be closed soon
            }
        }
    }

    private void admit(SocketChannel channel) throws IOException {
        int number = openConnections.incrementAndGet();
        if (number > limits.connections() + MAX_CONCURRENT_REFUSALS) {
            openConnections.decrementAndGet();
            channel.close();
            return;
        }
        boolean tooMany = number > limits.connections();
        var client = TimedConnection.of(channel, deadlines);
        Thread.ofVirtual().name("egress").start(() -> serve(client, tooMany));
    }

    private void serve(TimedConnection client, boolean tooMany) {
        try {
            connections.add(client);
            var connection = new ClientConnection(client, this::serve, limits);
            if (tooMany) {
                connection.refuse(
                        new ProxyException(
                                503,
                                "Ash: too many connections; a sandbox may have "
                                        + limits.connections()
                                        + " concurrent connections"));
            } else {
                connection.serve();
            }
        } catch (IOException e) {
            // The sandbox has ended.
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "cannot serve a request of a sandbox", e);
        } finally {
            connections.close(client);
            openConnections.decrementAndGet();
        }
    }

    private boolean serve(ProxyExchange exchange) throws IOException, ProxyException {
        return switch (RequestTarget.of(exchange.request())) {
            case RequestTarget.Model(var target) -> model.serve(exchange, target);
            case RequestTarget.Tools() -> tools.serve(exchange);
            case RequestTarget.Plain(var host, var target) -> forward(exchange, host, target);
            case RequestTarget.Tunnel(var host) -> tunnel(exchange, host);
        };
    }

    private boolean forward(ProxyExchange exchange, HostAndPort host, String target)
            throws IOException, ProxyException {
        var upstream = hosts.open(host);
        try {
            var headers =
                    exchange.request()
                            .headers()
                            .endToEnd()
                            .without(Set.of("host"))
                            .with(
                                    "Host",
                                    host.port() == 80 ? host.host().toString() : host.toString());
            return exchange.forward(
                    upstream,
                    ProxyExchange.Upstream.CLOSED,
                    target,
                    headers,
                    ResponseObserver.NONE,
                    ResponseFilter.NONE);
        } finally {
            connections.close(upstream);
        }
    }

    private boolean tunnel(ProxyExchange exchange, HostAndPort host)
            throws IOException, ProxyException {
        if (exchange.hasBody()) {
            throw new ProxyException(400, "Ash: a CONNECT request must not have a body");
        }
        var upstream = hosts.open(host);
        try {
            exchange.tunnel(upstream, firstBytes -> hosts.checkServerName(host, firstBytes));
            return false;
        } finally {
            connections.close(upstream);
        }
    }

    private static void pause() {
        try {
            Thread.sleep(RETRY_DELAY_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Closes all connections immediately. */
    @Override
    public void close() {
        connections.close();
        try {
            socket.close();
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, "cannot remove a proxy socket: " + e);
        }
    }
}
