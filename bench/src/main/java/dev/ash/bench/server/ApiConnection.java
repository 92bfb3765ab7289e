package dev.ash.bench.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A kept HTTP/1.1 connection with minimal overhead. Not thread-safe. */
public final class ApiConnection implements AutoCloseable {
    private static final int BUFFER = 64 * 1024;

    private final Socket socket;
    private final InputStream in;
    private final String headers;
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();
    private long remaining; // of the body, or of its current chunk
    private boolean isChunked;

    private ApiConnection(Socket socket, String key) throws IOException {
        this.socket = socket;
        this.in = new BufferedInputStream(socket.getInputStream(), BUFFER);
        this.headers =
                " HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
                        + "Authorization: Bearer "
                        + key
                        + "\r\nContent-Length: ";
    }

    static ApiConnection open(int port, String key) throws IOException {
        var socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setTcpNoDelay(true);
        return new ApiConnection(socket, key);
    }

    /** Sends a request and returns the body of its response. */
    public String call(String method, String path, String body) throws IOException {
        send(method, path, body);
        return readBody();
    }

    /** Sends a request and reads the head of its response; fails for an error status. */
    public void send(String method, String path, String body) throws IOException {
        var bytes = body.getBytes(UTF_8);
        var request = new ByteArrayOutputStream(512 + bytes.length);
        request.writeBytes(
                (method + " " + path + headers + bytes.length + "\r\n\r\n").getBytes(UTF_8));
        request.writeBytes(bytes);
        socket.getOutputStream().write(request.toByteArray());
        var status = rawLine();
        isChunked = false;
        remaining = 0;
        for (var header = rawLine(); !header.isEmpty(); header = rawLine()) {
            var lower = header.toLowerCase(Locale.ROOT);
            if (lower.startsWith("content-length:")) {
                remaining = Long.parseLong(lower.substring(15).strip());
            } else if (lower.startsWith("transfer-encoding:")) {
                isChunked = true;
            }
        }
        if (isChunked) {
            nextChunk();
        }
        if (!status.startsWith("HTTP/1.1 2")) {
            throw new IOException(method + " " + path + ": " + status + " " + readBody());
        }
    }

    /** Returns the next line of the body, or null after the last one. */
    public @Nullable String nextLine() throws IOException {
        line.reset();
        while (remaining > 0) {
            int b = readByte();
            if (b == '\n') {
                return line.toString(UTF_8);
            }
            line.write(b);
        }
        return line.size() == 0 ? null : line.toString(UTF_8);
    }

    /** Reads until a line that equals this text; returns the time of its arrival. */
    public long awaitLine(String text) throws IOException {
        for (var next = nextLine(); next != null; next = nextLine()) {
            if (next.equals(text)) {
                return System.nanoTime();
            }
        }
        throw new EOFException("the response has no line \"" + text + "\"");
    }

    public String readBody() throws IOException {
        var body = new ByteArrayOutputStream();
        while (remaining > 0) {
            body.write(readByte());
        }
        return body.toString(UTF_8);
    }

    private int readByte() throws IOException {
        int b = in.read();
        if (b < 0) {
            throw new EOFException("the server closed the connection");
        }
        remaining--;
        if (remaining == 0 && isChunked) {
            rawLine();
            nextChunk();
        }
        return b;
    }

    private void nextChunk() throws IOException {
        remaining = Long.parseLong(rawLine().strip(), 16);
        if (remaining == 0) {
            rawLine();
        }
    }

    private String rawLine() throws IOException {
        var text = new StringBuilder();
        while (true) {
            int b = in.read();
            if (b < 0) {
                throw new EOFException("the server closed the connection");
            }
            if (b == '\n') {
                return text.toString().stripTrailing();
            }
            text.append((char) b);
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
