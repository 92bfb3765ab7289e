package dev.ash.server.egress.http;

import dev.ash.server.egress.policy.HostAndPort;
import dev.ash.server.egress.policy.NetworkHost;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.net.UnknownHostException;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/** Resolves upstream hosts and connects to them. Shared by all sandboxes. */
public final class HostConnector implements AutoCloseable {
    private static final int MAX_ADDRESSES = 4;

    private final Resolver resolver;
    private final Supplier<SSLSocketFactory> tls;
    private final EgressLimits limits;
    private final TimedConnection.Deadlines deadlines;

    /**
     * Platform threads: a lookup is a native call, and would pin the carrier of a virtual thread.
     */
    private final ExecutorService lookups =
            Executors.newCachedThreadPool(
                    Thread.ofPlatform().daemon().name("egress-lookup-", 0).factory());

    public HostConnector(
            Resolver resolver,
            Supplier<SSLSocketFactory> tls,
            EgressLimits limits,
            TimedConnection.Deadlines deadlines) {
        this.resolver = resolver;
        this.tls = tls;
        this.limits = limits;
        this.deadlines = deadlines;
    }

    /** Connects to a host without a check of its addresses, such as the configured model API. */
    public TimedConnection connect(HostAndPort host, boolean tls) throws IOException {
        var addresses = resolve(host.host());
        return tls
                ? connectTls(addresses, host.host(), host.port())
                : connect(addresses, host.port());
    }

    /** Resolves a host; callers must check and connect to the same addresses. */
    public List<InetAddress> resolve(NetworkHost host) throws IOException {
        var lookup = submit(host);
        try {
            var addresses = lookup.get(limits.connect().toMillis(), TimeUnit.MILLISECONDS);
            return addresses.subList(0, Math.min(addresses.size(), MAX_ADDRESSES));
        } catch (ExecutionException e) {
            throw new UnknownHostException("cannot resolve " + host);
        } catch (TimeoutException e) {
            throw new IOException("resolving the host timed out", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("the server is shutting down", e);
        } finally {
            lookup.cancel(true);
        }
    }

    private Future<List<InetAddress>> submit(NetworkHost host) throws IOException {
        try {
            return lookups.submit(() -> addresses(host));
        } catch (RejectedExecutionException e) {
            throw new IOException("the server is shutting down", e);
        }
    }

    private List<InetAddress> addresses(NetworkHost host) throws IOException {
        return switch (host) {
            case NetworkHost.Literal(var address) -> List.of(address);
            case NetworkHost.Name(var name) -> {
                var found = resolver.resolve(name);
                if (found.isEmpty()) {
                    throw new UnknownHostException(name);
                }
                yield found;
            }
        };
    }

    public TimedConnection connect(List<InetAddress> addresses, int port) throws IOException {
        var connection = TimedConnection.of(connectChannel(addresses, port), deadlines);
        connection.closeWhenIdle(limits.idle());
        return connection;
    }

    /** Requires a certificate for {@code host}. */
    private TimedConnection connectTls(List<InetAddress> addresses, NetworkHost host, int port)
            throws IOException {
        var channel = connectChannel(addresses, port);
        var socket = channel.socket();
        try {
            socket.setSoTimeout((int) limits.connect().toMillis());
            var name = host.toString();
            var secure = (SSLSocket) tls.get().createSocket(socket, name, port, true);
            var parameters = secure.getSSLParameters();
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            if (host instanceof NetworkHost.Name) {
                parameters.setServerNames(List.of(new SNIHostName(name)));
            }
            secure.setSSLParameters(parameters);
            secure.startHandshake();
            socket.setSoTimeout(0);
            var connection =
                    TimedConnection.of(
                            socket, secure.getInputStream(), secure.getOutputStream(), deadlines);
            connection.closeWhenIdle(limits.idle());
            return connection;
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    private SocketChannel connectChannel(List<InetAddress> addresses, int port) throws IOException {
        IOException failure = new IOException("the host has no address");
        for (var address : addresses) {
            var channel = SocketChannel.open();
            try {
                channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
                var to = new InetSocketAddress(address, port);
                channel.socket().connect(to, (int) limits.connect().toMillis());
                return channel;
            } catch (IOException e) {
                channel.close();
                failure = e;
            }
        }
        throw failure;
    }

    @Override
    public void close() {
        lookups.shutdownNow();
    }
}
