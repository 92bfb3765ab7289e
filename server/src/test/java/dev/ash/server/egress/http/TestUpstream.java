package dev.ash.server.egress.http;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;

/** An upstream host on loopback whose responses the test defines byte by byte. */
public final class TestUpstream implements AutoCloseable {
    public interface Handler {
        void handle(RequestHead request, InputStream body, OutputStream out) throws IOException;
    }

    private final ServerSocket server;
    private final Handler handler;
    private final Queue<Socket> open = new ConcurrentLinkedQueue<>();
    public final Queue<RequestHead> heads = new ConcurrentLinkedQueue<>();
    public final Queue<String> failures = new ConcurrentLinkedQueue<>();

    private TestUpstream(ServerSocket server, Handler handler) {
        this.server = server;
        this.handler = handler;
        Thread.ofVirtual().start(this::accept);
    }

    public static TestUpstream start(Handler handler) throws IOException {
        return new TestUpstream(
                new ServerSocket(0, 200, InetAddress.getLoopbackAddress()), handler);
    }

    public static TestUpstream on(ServerSocket server, Handler handler) {
        return new TestUpstream(server, handler);
    }

    /** Sends the same response to every request. */
    public static TestUpstream respondingWith(String content) throws IOException {
        return start(
                (_, body, out) -> {
                    body.readAllBytes();
                    respond(out, content);
                });
    }

    public static void respond(OutputStream out, String content) throws IOException {
        var bytes = content.getBytes(StandardCharsets.UTF_8);
        write(out, "HTTP/1.1 200 OK\r\nContent-Length: " + bytes.length + "\r\n\r\n" + content);
    }

    /** Writes a body in chunks. */
    public static final class Chunks {
        private final BodyOutput out;

        public Chunks(OutputStream out) {
            this.out = new BodyOutput.Chunks(out);
        }

        public void write(byte[] bytes) throws IOException {
            out.write(bytes, bytes.length);
        }

        public void finish() throws IOException {
            out.finish();
        }
    }

    public static void write(OutputStream out, String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.UTF_8));
        out.flush();
    }

    public int port() {
        return server.getLocalPort();
    }

    public List<RequestHead> requests() {
        return List.copyOf(heads);
    }

    private void accept() {
        try {
            while (true) {
                var socket = server.accept();
                open.add(socket);
                Thread.ofVirtual().start(() -> serve(socket));
            }
        } catch (IOException e) {
            // The server is closed.
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            var in = new HttpInput(socket.getInputStream());
            var head = RequestHead.read(in);
            heads.add(head);
            handler.handle(head, Framing.of(head).open(in), socket.getOutputStream());
        } catch (IOException e) {
            failures.add(e.toString());
        }
    }

    /** Blocks without a response. */
    public static void blockForever() {
        while (true) {
            LockSupport.park();
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
