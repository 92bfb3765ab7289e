package dev.ash.bridge.relay;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;

/** Two connections of which each says what the other hears. */
final class RelayedConnection {
    private static final int PIECE = 16 * 1024;

    private static final String AWAY =
            "HTTP/1.1 502 Ash: the server is away; try again in a moment\r\n"
                    + "Content-Length: 0\r\nConnection: close\r\n\r\n";

    private final SocketChannel client;
    private final SocketChannel proxy;

    RelayedConnection(SocketChannel client, SocketChannel proxy) {
        this.client = client;
        this.proxy = proxy;
    }

    /** Until both have said all. */
    void run() throws IOException {
        var out = Thread.ofVirtual().name("relay-out").start(() -> pump(client, proxy));
        pump(proxy, client);
        try {
            out.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Reads first what was asked: closing with bytes unread would take the answer back. */
    static void refuse(SocketChannel client) throws IOException {
        client.read(ByteBuffer.allocate(PIECE));
        client.write(ByteBuffer.wrap(AWAY.getBytes(StandardCharsets.US_ASCII)));
    }

    /** The end of one direction is passed on; the other may go on. A failure ends both. */
    private void pump(SocketChannel from, SocketChannel to) {
        var piece = ByteBuffer.allocate(PIECE);
        try {
            while (from.read(piece) >= 0) {
                piece.flip();
                while (piece.hasRemaining()) {
                    to.write(piece);
                }
                piece.clear();
            }
            to.shutdownOutput();
        } catch (IOException e) {
            end(client);
            end(proxy);
        }
    }

    private static void end(SocketChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            // Nothing is left to do for it.
        }
    }
}
