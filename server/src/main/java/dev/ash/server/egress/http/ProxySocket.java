package dev.ash.server.egress.http;

import dev.ash.protocol.Limits;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;

/** The socket file of a proxy. */
public final class ProxySocket implements AutoCloseable {
    private static final String NAME = "proxy.sock";
    private static final String DRAFT = "proxy.new";
    private static final int BACKLOG = 128;

    private final Path path;
    private final ServerSocketChannel channel;

    private ProxySocket(Path path, ServerSocketChannel channel) {
        this.path = path;
        this.channel = channel;
    }

    /**
     * Replaces the socket of an earlier server atomically. Every user may connect: the sandbox has
     * another user than the server, and no other process can reach the directory.
     */
    public static ProxySocket open(Path folder) throws IOException {
        var path = folder.resolve(NAME);
        int length = path.toString().getBytes(StandardCharsets.UTF_8).length;
        if (length > Limits.MAX_SOCKET_PATH_BYTES) {
            throw new IOException(
                    "%s has %d bytes, but the path of a socket may have %d; set ASH_DATA_DIR to a shorter path"
                            .formatted(path, length, Limits.MAX_SOCKET_PATH_BYTES));
        }
        if (!Files.isDirectory(folder)) {
            Files.createDirectories(folder);
            Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
        var draft = folder.resolve(DRAFT);
        Files.deleteIfExists(draft);
        var channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            channel.bind(UnixDomainSocketAddress.of(draft), BACKLOG);
            Files.setPosixFilePermissions(draft, PosixFilePermissions.fromString("rw-rw-rw-"));
            Files.move(draft, path, StandardCopyOption.ATOMIC_MOVE);
            return new ProxySocket(path, channel);
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    public ServerSocketChannel channel() {
        return channel;
    }

    @Override
    public void close() throws IOException {
        channel.close();
        Files.deleteIfExists(path);
    }
}
