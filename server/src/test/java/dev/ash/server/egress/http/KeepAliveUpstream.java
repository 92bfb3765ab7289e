package dev.ash.server.egress.http;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** An upstream host on loopback that serves several requests on a connection. */
public final class KeepAliveUpstream implements AutoCloseable {
    /** Answers a request and returns whether to serve another one on this connection. */
    public interface Handler {
        boolean answer(Request request, OutputStream out) throws IOException;
    }

    /**
     * A request with its body.
     *
     * @param connection the number of its connection, from 1
     * @param number its number on this connection, from 1
     */
    public record Request(
            int connection, int number, RequestHead head, String body, Socket socket) {}

    private final ServerSocket server;
    private final Handler handler;
    private final AtomicInteger connections = new AtomicInteger();
    private final AtomicInteger closedByPeer = new AtomicInteger();
    private final Queue<Socket> open = new ConcurrentLinkedQueue<>();
    public final Queue<Request> requests = new ConcurrentLinkedQueue<>();

    private KeepAliveUpstream(ServerSocket server, Handler handler) {
        this.server = server;
        this.handler = handler;
        Thread.ofVirtual().start(this::accept);
    }

    public static KeepAliveUpstream start(Handler handler) throws IOException {
        return on(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()), handler);
    }

    public static KeepAliveUpstream on(ServerSocket server, Handler handler) {
        return new KeepAliveUpstream(server, handler);
    }

    public int port() {
        return server.getLocalPort();
    }

    public int connections() {
        return connections.get();
    }

    /** Returns the number of connections that the proxy has closed between requests. */
    public int closedByPeer() {
        return closedByPeer.get();
    }

    public List<Integer> connectionsOfRequests() {
        return requests.stream().map(Request::connection).toList();
    }

    private void accept() {
        try {
            while (true) {
                var socket = server.accept();
                open.add(socket);
                int number = connections.incrementAndGet();
                Thread.ofVirtual().start(() -> serve(socket, number));
            }
        } catch (IOException e) {
            // The server is closed.
        }
    }

    private void serve(Socket socket, int connection) {
        try (socket) {
            var in = new HttpInput(socket.getInputStream());
            for (int number = 1; ; number++) {
                if (!in.hasMore()) {
                    closedByPeer.incrementAndGet();
                    return;
                }
                var head = RequestHead.read(in);
                var body = new String(Framing.of(head).open(in).readAllBytes());
                var request = new Request(connection, number, head, body, socket);
                requests.add(request);
                if (!handler.answer(request, socket.getOutputStream())) {
                    return;
                }
            }
        } catch (IOException e) {
            closedByPeer.incrementAndGet();
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
        for (var socket : open) {
            socket.close();
        }
    }
}
