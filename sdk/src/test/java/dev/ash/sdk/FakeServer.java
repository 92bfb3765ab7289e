package dev.ash.sdk;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A server on a real socket that says exactly the bytes a test wants said. */
final class FakeServer implements AutoCloseable {
    interface Script {
        void answer(Request request, OutputStream out) throws IOException;
    }

    record Request(String line, List<String> headers, String body) {}

    private final ServerSocket listener;
    private final Script script;
    private final List<Request> requests = new CopyOnWriteArrayList<>();

    FakeServer(Script script) throws IOException {
        this.script = script;
        this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::accept);
    }

    static FakeServer saying(String answer) throws IOException {
        return new FakeServer((_, out) -> out.write(answer.getBytes(StandardCharsets.UTF_8)));
    }

    static FakeServer answering(int status, String body) throws IOException {
        return saying(
                "HTTP/1.1 %d Word\r\nContent-Length: %d\r\n\r\n%s"
                        .formatted(status, body.getBytes(StandardCharsets.UTF_8).length, body));
    }

    String url() {
        return "http://localhost:" + listener.getLocalPort();
    }

    AshClient client() {
        return new AshClient(url(), "ash_key");
    }

    List<Request> requests() {
        return requests;
    }

    private void accept() {
        while (true) {
            try {
                var socket = listener.accept();
                Thread.ofVirtual().start(() -> serve(socket));
            } catch (IOException e) {
                return;
            }
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            var request = read(new BufferedInputStream(socket.getInputStream()));
            requests.add(request);
            script.answer(request, socket.getOutputStream());
        } catch (IOException e) {
            // the client has gone
        }
    }

    private static Request read(BufferedInputStream in) throws IOException {
        var head = new ByteArrayOutputStream();
        while (!head.toString(StandardCharsets.UTF_8).endsWith("\r\n\r\n")) {
            int next = in.read();
            if (next < 0) {
                throw new IOException("no request");
            }
            head.write(next);
        }
        var lines = head.toString(StandardCharsets.UTF_8).strip().split("\r\n");
        var headers = List.of(lines).subList(1, lines.length);
        int length =
                headers.stream()
                        .filter(line -> line.startsWith("Content-Length: "))
                        .mapToInt(line -> Integer.parseInt(line.substring(16)))
                        .findFirst()
                        .orElse(0);
        var body = new String(in.readNBytes(length), StandardCharsets.UTF_8);
        return new Request(lines[0], headers, body);
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }
}
