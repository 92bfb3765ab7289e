package dev.ash.server.egress;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;

/** A server that echoes all bytes and sends BYE at the end of its input. */
record EchoServer(ServerSocket server) implements AutoCloseable {
    static EchoServer start() throws IOException {
        var echo = new EchoServer(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()));
        Thread.ofVirtual().start(echo::accept);
        return echo;
    }

    int port() {
        return server.getLocalPort();
    }

    private void accept() {
        try {
            while (true) {
                var socket = server.accept();
                Thread.ofVirtual()
                        .start(
                                () -> {
                                    try (socket) {
                                        socket.getInputStream()
                                                .transferTo(socket.getOutputStream());
                                        socket.getOutputStream().write("BYE".getBytes());
                                    } catch (IOException e) {
                                        // The client has disconnected.
                                    }
                                });
            }
        } catch (IOException e) {
            // The server is closed.
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
