package dev.ash.bridge.relay;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;

/** Copies bytes in both directions between a client and the proxy. */
final class RelayedConnection {
    private static final int BUFFER_BYTES = 16 * 1024;

    private static final String UNAVAILABLE =
            "HTTP/1.1 502 Ash: the server is unavailable; try again in a moment\r\n"
                    + "Content-Length: 0\r\nConnection: close\r\n\r\n";

    private final SocketChannel client;
    private final SocketChannel proxy;

    RelayedConnection(SocketChannel client, SocketChannel proxy) {
        this.client = client;
        this.proxy = proxy;
    }

    /** Copies until both directions are closed. */
    void run() throws IOException {
        var out = Thread.ofVirtual().name("relay-out").start(() -> pump(client, proxy));
        pump(proxy, client);
        try {
            out.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Reads the request first: closing with unread bytes would discard the response. */
    static void sendUnavailable(SocketChannel client) throws IOException {
        client.read(ByteBuffer.allocate(BUFFER_BYTES));
        client.write(ByteBuffer.wrap(UNAVAILABLE.getBytes(StandardCharsets.US_ASCII)));
    }

    /** Forwards the end of one direction, while the other may continue; a failure closes both. */
    private void pump(SocketChannel from, SocketChannel to) {
        var buffer = ByteBuffer.allocate(BUFFER_BYTES);
        try {
            while (from.read(buffer) >= 0) {
                buffer.flip();
                while (buffer.hasRemaining()) {
                    to.write(buffer);
                }
                buffer.clear();
            }
            to.shutdownOutput();
        } catch (IOException e) {
            closeQuietly(client);
            closeQuietly(proxy);
        }
    }

    private static void closeQuietly(SocketChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            // nothing to do
        }
    }
}
