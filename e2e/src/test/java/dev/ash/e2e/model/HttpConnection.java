package dev.ash.e2e.model;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * Minimal HTTP/1.1 server connection. Uses a plain socket because tests control where a write ends
 * and close connections in the middle of a response.
 */
final class HttpConnection implements AutoCloseable {
    record Head(String method, String path, Map<String, String> headers) {}

    private final Socket socket;
    private final InputStream in;
    private final OutputStream out;
    private final int pieceBytes;

    HttpConnection(Socket socket, int pieceBytes) throws IOException {
        socket.setTcpNoDelay(true);
        this.socket = socket;
        this.in = new BufferedInputStream(socket.getInputStream());
        this.out = socket.getOutputStream();
        this.pieceBytes = pieceBytes;
    }

    /** Returns null once the client has closed the connection. */
    Head readHead() throws IOException {
        var first = readLine();
        if (first.isEmpty()) {
            return null;
        }
        var headers = new HashMap<String, String>();
        for (var line = readLine(); !line.isEmpty(); line = readLine()) {
            int colon = line.indexOf(':');
            headers.put(
                    line.substring(0, colon).toLowerCase(Locale.ROOT),
                    line.substring(colon + 1).strip());
        }
        var parts = first.split(" ");
        return new Head(parts[0], parts[1], headers);
    }

    byte[] readBody(Head head) throws IOException {
        if ("chunked".equalsIgnoreCase(head.headers().get("transfer-encoding"))) {
            var body = new ByteArrayOutputStream();
            while (true) {
                int size = Integer.parseInt(readLine().split(";")[0].strip(), 16);
                body.writeBytes(in.readNBytes(size));
                readLine();
                if (size == 0) {
                    return body.toByteArray();
                }
            }
        }
        return in.readNBytes(Integer.parseInt(head.headers().getOrDefault("content-length", "0")));
    }

    void answer(int status, String type, String body, Map<String, String> headers)
            throws IOException {
        var bytes = body.getBytes(UTF_8);
        var extra = new StringBuilder();
        headers.forEach((name, value) -> extra.append(name + ": " + value + "\r\n"));
        send(
                "HTTP/1.1 %d Scripted\r\nContent-Type: %s\r\nContent-Length: %d\r\n%s\r\n"
                        .formatted(status, type, bytes.length, extra)
                        .getBytes(ISO_8859_1));
        send(bytes);
    }

    void beginStream() throws IOException {
        send(
                ("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                                + "Cache-Control: no-cache\r\nTransfer-Encoding: chunked\r\n\r\n")
                        .getBytes(ISO_8859_1));
    }

    /** Writes each piece as one HTTP chunk, so that chunks may end inside a character. */
    void stream(String text) throws IOException {
        var bytes = text.getBytes(UTF_8);
        int piece = pieceBytes == 0 ? bytes.length : pieceBytes;
        for (int from = 0; from < bytes.length; from += piece) {
            int length = Math.min(piece, bytes.length - from);
            var chunk = new ByteArrayOutputStream();
            chunk.writeBytes((Integer.toHexString(length) + "\r\n").getBytes(ISO_8859_1));
            chunk.write(bytes, from, length);
            chunk.writeBytes("\r\n".getBytes(ISO_8859_1));
            send(chunk.toByteArray());
        }
    }

    void endStream() throws IOException {
        send("0\r\n\r\n".getBytes(ISO_8859_1));
    }

    private void send(byte[] bytes) throws IOException {
        out.write(bytes);
        out.flush();
    }

    private String readLine() throws IOException {
        var line = new ByteArrayOutputStream();
        for (int b = in.read(); b >= 0 && b != '\n'; b = in.read()) {
            if (b != '\r') {
                line.write(b);
            }
        }
        return line.toString(ISO_8859_1);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
