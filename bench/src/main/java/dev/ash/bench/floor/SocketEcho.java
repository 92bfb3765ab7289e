package dev.ash.bench.floor;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;

/** A message of 400 bytes to another thread over a Unix socket, and back. */
public final class SocketEcho implements AutoCloseable {
    private static final int BYTES = 400;

    private final ServerSocketChannel listener;
    private final SocketChannel client;
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(BYTES);

    public SocketEcho(Path directory) throws IOException {
        listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        var address = UnixDomainSocketAddress.of(directory.resolve("echo.sock"));
        listener.bind(address);
        Thread.ofPlatform().daemon().name("echo").start(this::echo);
        client = SocketChannel.open(address);
    }

    private void echo() {
        var data = ByteBuffer.allocateDirect(BYTES);
        try (var connection = listener.accept()) {
            while (connection.read(data.clear()) >= 0) {
                data.flip();
                while (data.hasRemaining()) {
                    connection.write(data);
                }
            }
        } catch (IOException e) {
            // closed
        }
    }

    public double millis() throws IOException {
        long begin = System.nanoTime();
        buffer.clear();
        while (buffer.hasRemaining()) {
            client.write(buffer);
        }
        buffer.clear();
        while (buffer.hasRemaining()) {
            if (client.read(buffer) < 0) {
                throw new IOException("the echo was closed");
            }
        }
        return (System.nanoTime() - begin) / 1e6;
    }

    @Override
    public void close() throws IOException {
        client.close();
        listener.close();
    }
}
