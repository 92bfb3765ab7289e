package dev.ash.e2e;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpHeaders;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * Event stream on a plain socket that can be closed within a frame or left unread. It uses
 * HTTP/1.0, which has no chunked encoding: the frames directly follow the headers.
 */
final class RawStream implements AutoCloseable {
    private static final int TIMEOUT_MS = 60_000;

    private final Socket socket;
    private final InputStream in;

    private RawStream(Socket socket) throws IOException {
        this.socket = socket;
        this.in = socket.getInputStream();
    }

    static RawStream open(Api api, String path, Map<String, String> headers) throws IOException {
        return open(api, path, headers, new Socket());
    }

    /** Opens a stream with the smallest receive buffer that the system allows. */
    static RawStream openWithSmallBuffer(Api api, String path) throws IOException {
        var socket = new Socket();
        socket.setReceiveBufferSize(1);
        return open(api, path, Map.of(), socket);
    }

    private static RawStream open(Api api, String path, Map<String, String> headers, Socket socket)
            throws IOException {
        var server = URI.create(api.base());
        socket.setSoTimeout(TIMEOUT_MS);
        socket.connect(new InetSocketAddress(server.getHost(), server.getPort()));
        var request =
                new StringBuilder("GET %s HTTP/1.0\r\n".formatted(path))
                        .append("Host: %s\r\n".formatted(server.getAuthority()))
                        .append("Authorization: Bearer %s\r\n".formatted(api.key()));
        headers.forEach((name, value) -> request.append(name + ": " + value + "\r\n"));
        socket.getOutputStream().write(request.append("\r\n").toString().getBytes(ISO_8859_1));
        var stream = new RawStream(socket);
        var head = new StringBuilder();
        while (head.indexOf("\r\n\r\n", head.length() - 4) < 0) {
            head.append((char) stream.read());
        }
        assertThat(head.toString()).startsWith("HTTP/1.1 200");
        return stream;
    }

    int read() throws IOException {
        return in.read();
    }

    /** Reads this number of bytes, or fewer at the end of the stream. */
    byte[] read(int bytes) throws IOException {
        return in.readNBytes(bytes);
    }

    /** Returns the complete frames and ignores an incomplete last one. */
    static List<Frame> frames(byte[] bytes) {
        int end = bytes.length;
        while (end > 0 && !(end > 1 && bytes[end - 1] == '\n' && bytes[end - 2] == '\n')) {
            end--;
        }
        var frames = new ArrayList<Frame>();
        var complete = new ByteArrayInputStream(Arrays.copyOf(bytes, end));
        try (var reader = new FrameReader(complete, HttpHeaders.of(Map.of(), (_, _) -> true))) {
            for (var frame = reader.next(); frame != null; frame = reader.next()) {
                frames.add(frame);
            }
        }
        return frames;
    }

    /** Resets the connection, so that the server's next write fails immediately. */
    void reset() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
