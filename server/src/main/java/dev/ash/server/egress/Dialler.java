package dev.ash.server.egress;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.UnknownHostException;
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

/** Reaches hosts outside. A name is looked up once, and what was looked at is what is dialled. */
final class Dialler implements AutoCloseable {
    private static final int MAX_ADDRESSES = 4;

    private final Resolver resolver;
    private final AddressRules rules;
    private final Supplier<SSLSocketFactory> tls;
    private final EgressLimits limits;
    private final Deadlines deadlines;

    /** A lookup holds its thread, which for a virtual one is a part of the whole server. */
    private final ExecutorService lookups =
            Executors.newCachedThreadPool(
                    Thread.ofPlatform().daemon().name("egress-lookup-", 0).factory());

    Dialler(
            Resolver resolver,
            AddressRules rules,
            Supplier<SSLSocketFactory> tls,
            EgressLimits limits,
            Deadlines deadlines) {
        this.resolver = resolver;
        this.rules = rules;
        this.tls = tls;
        this.limits = limits;
        this.deadlines = deadlines;
    }

    /** The addresses of a host that a policy allows. One bad address spoils them all. */
    List<InetAddress> permitted(Host host, AddressRules.Reach reach) throws IOException, Refusal {
        var addresses = lookUp(host);
        for (var address : addresses) {
            if (!rules.permits(address, reach)) {
                throw new Refusal(403, sentence(host, rules.needed(address)));
            }
        }
        return addresses;
    }

    private static String sentence(Host host, AddressRules.Reach needed) {
        return "Ash: "
                + host
                + switch (needed) {
                    case PUBLIC, PRIVATE ->
                            " has an address in a private network, which network.allow of a"
                                    + " session or agent cannot open; the operator can list the"
                                    + " exact host in the server's setting ASH_NETWORK_ALLOW";
                    case LOCAL ->
                            " has a link-local or metadata address, which network.allow of a"
                                    + " session or agent cannot open; the operator can list the"
                                    + " address itself in the server's setting ASH_NETWORK_ALLOW";
                    case NEVER -> " is no address of a host and cannot be allowed";
                };
    }

    /** Whether the text of a host shows that it is not public. */
    boolean isPrivate(Host host) {
        return rules.needed(host) != AddressRules.Reach.PUBLIC;
    }

    List<InetAddress> lookUp(Host host) throws IOException {
        var lookup = submit(host);
        try {
            var addresses = lookup.get(limits.connect().toMillis(), TimeUnit.MILLISECONDS);
            return addresses.subList(0, Math.min(addresses.size(), MAX_ADDRESSES));
        } catch (ExecutionException e) {
            throw new UnknownHostException(host + " has no address");
        } catch (TimeoutException e) {
            throw new IOException("the name could not be looked up in time", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("ending", e);
        } finally {
            lookup.cancel(true);
        }
    }

    private Future<List<InetAddress>> submit(Host host) throws IOException {
        try {
            return lookups.submit(() -> resolver.addresses(host));
        } catch (RejectedExecutionException e) {
            throw new IOException("ending", e);
        }
    }

    Wire connect(List<InetAddress> addresses, int port) throws IOException {
        var socket = socket(addresses, port);
        try {
            return wire(socket, socket);
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    /** With a certificate for {@code host}, or not at all. */
    Wire connectTls(List<InetAddress> addresses, Host host, int port) throws IOException {
        var socket = socket(addresses, port);
        try {
            socket.setSoTimeout((int) limits.connect().toMillis());
            var name = host.toString();
            var secure = (SSLSocket) tls.get().createSocket(socket, name, port, true);
            var parameters = secure.getSSLParameters();
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            if (host instanceof Host.Name) {
                parameters.setServerNames(List.of(new SNIHostName(name)));
            }
            secure.setSSLParameters(parameters);
            secure.startHandshake();
            socket.setSoTimeout(0);
            return wire(socket, secure);
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    private Wire wire(Socket socket, Socket streams) throws IOException {
        var wire = Wire.of(socket, streams.getInputStream(), streams.getOutputStream(), deadlines);
        wire.deadline().idle(limits.idle());
        return wire;
    }

    private Socket socket(List<InetAddress> addresses, int port) throws IOException {
        IOException failure = new IOException("no address");
        for (var address : addresses) {
            var socket = new Socket();
            try {
                socket.setTcpNoDelay(true);
                socket.connect(
                        new InetSocketAddress(address, port), (int) limits.connect().toMillis());
                return socket;
            } catch (IOException e) {
                socket.close();
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
