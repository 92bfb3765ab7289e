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

/** The Unix socket of a proxy, with its file. */
public final class ProxySocket implements AutoCloseable {
    private static final String NAME = "proxy.sock";
    private static final String TEMPORARY_NAME = "proxy.new";
    private static final int BACKLOG = 128;

    private final Path path;
    private final ServerSocketChannel channel;

    private ProxySocket(Path path, ServerSocketChannel channel) {
        this.path = path;
        this.channel = channel;
    }

    /**
     * Opens the socket; atomically replaces the one of an earlier server. Every user may connect:
     * the sandbox has another user than the server, and no other process can access the directory.
     */
    public static ProxySocket open(Path directory) throws IOException {
        var path = directory.resolve(NAME);
        int length = path.toString().getBytes(StandardCharsets.UTF_8).length;
        if (length > Limits.MAX_SOCKET_PATH_BYTES) {
            throw new IOException(
                    "socket path %s has %d bytes; the maximum is %d; set ASH_DATA_DIR to a shorter path"
                            .formatted(path, length, Limits.MAX_SOCKET_PATH_BYTES));
        }
        if (!Files.isDirectory(directory)) {
            Files.createDirectories(directory);
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
        var temporary = directory.resolve(TEMPORARY_NAME);
        Files.deleteIfExists(temporary);
        var channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            channel.bind(UnixDomainSocketAddress.of(temporary), BACKLOG);
            Files.setPosixFilePermissions(temporary, PosixFilePermissions.fromString("rw-rw-rw-"));
            Files.move(temporary, path, StandardCopyOption.ATOMIC_MOVE);
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
