package dev.ash.bridge.relay;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/** Forwards connections to a port on loopback to the socket of the egress proxy. */
public final class EgressRelay implements AutoCloseable {
    private static final String DEFAULT_PORT = "3128";

    /** Above the proxy's own limit, so that the proxy rejects connections with a message. */
    private static final int MAX_CONNECTIONS = 96;

    private static final int BACKLOG = 128;
    private static final long PAUSE_MILLIS = 100;

    private final ServerSocketChannel listener;
    private final Path socket;
    private final Semaphore permits = new Semaphore(MAX_CONNECTIONS);
    private final Thread acceptor =
            Thread.ofPlatform().daemon().name("relay").unstarted(this::accept);

    private EgressRelay(ServerSocketChannel listener, Path socket) {
        this.listener = listener;
        this.socket = socket;
    }

    /**
     * Starts a relay if the environment contains the path of the proxy's socket. A failure is only
     * a warning, because the engine reaches its model without the relay.
     */
    public static void startIfConfigured(Map<String, String> environment) {
        var socket = environment.getOrDefault("ASH_EGRESS_SOCKET", "");
        var port = environment.getOrDefault("ASH_EGRESS_PORT", DEFAULT_PORT);
        if (socket.isEmpty()) {
            return;
        }
        try {
            open(Path.of(socket), Integer.parseInt(port));
        } catch (IOException | IllegalArgumentException e) {
            System.err.println(
                    "bridge: no proxy on port %s; only the model can be reached: %s"
                            .formatted(port, e));
        }
    }

    /** Opens a relay; port 0 selects a free port. */
    public static EgressRelay open(Path socket, int port) throws IOException {
        var listener = ServerSocketChannel.open();
        try {
            var loopback = InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
            listener.bind(new InetSocketAddress(loopback, port), BACKLOG);
        } catch (IOException | IllegalArgumentException e) {
            listener.close();
            throw e;
        }
        var relay = new EgressRelay(listener, socket);
        relay.acceptor.start();
        return relay;
    }

    public int port() throws IOException {
        return ((InetSocketAddress) listener.getLocalAddress()).getPort();
    }

    private void accept() {
        while (true) {
            try {
                admit(listener.accept());
            } catch (ClosedChannelException e) {
                return;
            } catch (IOException e) {
                pause(); // for example out of file descriptors; retry when others are closed
            }
        }
    }

    private void admit(SocketChannel client) throws IOException {
        if (permits.tryAcquire()) {
            Thread.ofVirtual().name("relay-connection").start(() -> serve(client));
        } else {
            client.close();
        }
    }

    private void serve(SocketChannel client) {
        try (client;
                var proxy = connect(client)) {
            if (proxy != null) {
                new RelayedConnection(client, proxy).run();
            }
        } catch (IOException e) {
            // One of the two connections was closed; the other is closed too.
        } finally {
            permits.release();
        }
    }

    private @Nullable SocketChannel connect(SocketChannel client) throws IOException {
        try {
            return SocketChannel.open(UnixDomainSocketAddress.of(socket));
        } catch (IOException e) {
            RelayedConnection.sendUnavailable(client);
            return null;
        }
    }

    private static void pause() {
        try {
            Thread.sleep(PAUSE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Stops listening; open connections continue until one of their ends closes them. */
    @Override
    public void close() throws IOException {
        listener.close();
        try {
            // The thread in accept() closes the descriptor: until then the kernel accepts
            // connections.
            acceptor.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
