package dev.ash.bridge;

import dev.ash.protocol.Limits;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.function.Consumer;

/** Listens on the Unix socket that servers connect to. */
final class Listener implements AutoCloseable {
    private final Path path;
    private final Path bound; // the name in the socket's address, which a move does not change
    private final ServerSocketChannel channel;

    private Listener(Path path, Path bound, ServerSocketChannel channel) {
        this.path = path;
        this.bound = bound;
        this.channel = channel;
    }

    /**
     * Prepares {@link #open} on another thread. The JDK initializes its security providers for the
     * first Unix socket, which takes a quarter of the bridge's start; the rest of the bridge can be
     * assembled meanwhile.
     */
    static void preload() {
        Thread.ofPlatform().daemon().name("preload").start(Listener::openAndClose);
    }

    private static void openAndClose() {
        try {
            ServerSocketChannel.open(StandardProtocolFamily.UNIX).close();
        } catch (IOException e) {
            // Opening the listener fails with the same error.
        }
    }

    /**
     * Binds a temporary name in the same directory, restricts its permissions and then moves it to
     * the final name, so that the file appears only when it is ready. Replaces the file of an
     * earlier bridge.
     */
    static Listener open(Path path) throws IOException {
        if (path.toString().getBytes(StandardCharsets.UTF_8).length
                > Limits.MAX_SOCKET_PATH_BYTES) {
            throw new IOException(
                    "socket path is longer than "
                            + Limits.MAX_SOCKET_PATH_BYTES
                            + " bytes: "
                            + path);
        }
        var temporary = path.resolveSibling(".b" + ProcessHandle.current().pid());
        Files.deleteIfExists(temporary);
        var channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            channel.bind(UnixDomainSocketAddress.of(temporary));
            Files.setPosixFilePermissions(temporary, PosixFilePermissions.fromString("rw-------"));
            Files.move(temporary, path, StandardCopyOption.ATOMIC_MOVE);
            return new Listener(path, temporary, channel);
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    /**
     * Accepts connections until closed. With {@code rejectsSandboxPeers}, closes connections from
     * processes in the sandbox, except the first one: before a server has connected, no other
     * process runs in the sandbox.
     */
    void accept(boolean rejectsSandboxPeers, Consumer<SocketChannel> connections) {
        boolean first = true;
        try {
            while (true) {
                var connection = channel.accept();
                if (rejectsSandboxPeers && !first && isFromSandbox()) {
                    connection.close();
                } else {
                    first = false;
                    connections.accept(connection);
                }
            }
        } catch (ClosedChannelException e) {
            // The bridge is shutting down.
        } catch (IOException e) {
            System.err.println("bridge: cannot accept connections: " + e);
        }
    }

    private boolean isFromSandbox() {
        try {
            if (!PeerCredentials.anyInSandbox(bound)) {
                return false;
            }
            System.err.println("bridge: rejected a connection from within the sandbox");
        } catch (IOException e) {
            System.err.println("bridge: rejected a connection of unknown origin: " + e);
        }
        return true;
    }

    @Override
    public void close() {
        try {
            channel.close();
            Files.deleteIfExists(path);
        } catch (IOException e) {
            System.err.println("bridge: cannot remove " + path + ": " + e);
        }
    }
}
