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

/** The Unix socket that servers connect to. */
final class Listener implements AutoCloseable {
    private final Path path;
    private final Path bound; // the name that the kernel knows
    private final ServerSocketChannel channel;

    private Listener(Path path, Path bound, ServerSocketChannel channel) {
        this.path = path;
        this.bound = bound;
        this.channel = channel;
    }

    /**
     * The file appears under its name only when it is listened on and closed to others: bound
     * elsewhere in the folder first, then moved, over what an earlier bridge left there.
     */
    static Listener open(Path path) throws IOException {
        if (path.toString().getBytes(StandardCharsets.UTF_8).length
                > Limits.MAX_SOCKET_PATH_BYTES) {
            throw new IOException(
                    "the socket path is longer than "
                            + Limits.MAX_SOCKET_PATH_BYTES
                            + " bytes: "
                            + path);
        }
        var unready = path.resolveSibling(".b" + ProcessHandle.current().pid());
        Files.deleteIfExists(unready);
        var channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            channel.bind(UnixDomainSocketAddress.of(unready));
            Files.setPosixFilePermissions(unready, PosixFilePermissions.fromString("rw-------"));
            Files.move(unready, path, StandardCopyOption.ATOMIC_MOVE);
            return new Listener(path, unready, channel);
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    /**
     * Hands over every connection until closed; with {@code outsideOnly} none that comes from
     * within the sandbox. The first is a server's: nothing else runs there before it has come.
     */
    void accept(boolean outsideOnly, Consumer<SocketChannel> connections) {
        boolean first = true;
        try {
            while (true) {
                var connection = channel.accept();
                if (outsideOnly && !first && isFromWithin()) {
                    connection.close();
                } else {
                    first = false;
                    connections.accept(connection);
                }
            }
        } catch (ClosedChannelException e) {
            // The bridge is ending.
        } catch (IOException e) {
            System.err.println("bridge: no more connections can be accepted: " + e);
        }
    }

    private boolean isFromWithin() {
        try {
            if (!Peers.anyFromWithin(bound)) {
                return false;
            }
            System.err.println("bridge: refused a connection from within the sandbox");
        } catch (IOException e) {
            System.err.println("bridge: refused a connection, since " + e);
        }
        return true;
    }

    @Override
    public void close() {
        try {
            channel.close();
            Files.deleteIfExists(path);
        } catch (IOException e) {
            System.err.println("bridge: " + path + " could not be removed: " + e);
        }
    }
}
