package dev.ash.server.http;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** An HTTP client on a plain socket, for tests that control every byte. */
final class RawClient implements AutoCloseable {
    final Socket socket;

    RawClient(int port) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(20_000);
    }

    RawClient send(String text) throws IOException {
        return send(text.getBytes(StandardCharsets.UTF_8));
    }

    RawClient send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
        socket.getOutputStream().flush();
        return this;
    }

    /** Reads one response with a content length or chunks; the connection stays open. */
    Response response() throws IOException {
        var head = new ArrayList<String>();
        for (var line = line(); !line.isEmpty(); line = line()) {
            head.add(line);
        }
        var response = new Response(head, "");
        var length = response.header("Content-Length");
        if (!length.isEmpty()) {
            return new Response(head, text(exactly(Integer.parseInt(length))));
        }
        return response.header("Transfer-Encoding").equals("chunked")
                ? new Response(head, text(chunks()))
                : response;
    }

    /** Reads the next chunk of a chunked body; empty at its end. */
    byte[] chunk() throws IOException {
        var size = line();
        var bytes = exactly(Integer.parseInt(size.isEmpty() ? line() : size, 16));
        if (bytes.length == 0) {
            line();
        }
        return bytes;
    }

    boolean atEnd() throws IOException {
        try {
            return socket.getInputStream().read() < 0;
        } catch (SocketException _) {
            return true; // reset
        }
    }

    String line() throws IOException {
        var line = new ByteArrayOutputStream();
        for (int b = socket.getInputStream().read();
                b != '\n';
                b = socket.getInputStream().read()) {
            if (b < 0) {
                throw new EOFException("after: " + text(line.toByteArray()));
            }
            line.write(b);
        }
        return text(line.toByteArray()).stripTrailing();
    }

    private byte[] chunks() throws IOException {
        var all = new ByteArrayOutputStream();
        for (var chunk = chunk(); chunk.length > 0; chunk = chunk()) {
            all.writeBytes(chunk);
        }
        return all.toByteArray();
    }

    private byte[] exactly(int count) throws IOException {
        var bytes = socket.getInputStream().readNBytes(count);
        if (bytes.length < count) {
            throw new EOFException(bytes.length + " of " + count + " bytes");
        }
        return bytes;
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    record Response(List<String> head, String body) {
        int status() {
            return Integer.parseInt(head.getFirst().split(" ")[1]);
        }

        String header(String name) {
            return head.stream()
                    .filter(line -> line.toLowerCase().startsWith(name.toLowerCase() + ":"))
                    .map(line -> line.substring(name.length() + 1).strip())
                    .findFirst()
                    .orElse("");
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
