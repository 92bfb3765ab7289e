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
 * An event stream on a bare socket, so that it can be cut within a frame or left unread. It asks by
 * HTTP/1.0, which has no chunks: what comes after the headers are the frames.
 */
final class RawStream implements AutoCloseable {
    private static final int PATIENCE_MS = 60_000;

    private final Socket socket;
    private final InputStream in;

    private RawStream(Socket socket) throws IOException {
        this.socket = socket;
        this.in = socket.getInputStream();
    }

    static RawStream open(Api api, String path, Map<String, String> headers) throws IOException {
        return open(api, path, headers, new Socket());
    }

    /** One whose receive buffer is as small as the system allows. */
    static RawStream openSmall(Api api, String path) throws IOException {
        var socket = new Socket();
        socket.setReceiveBufferSize(1);
        return open(api, path, Map.of(), socket);
    }

    private static RawStream open(Api api, String path, Map<String, String> headers, Socket socket)
            throws IOException {
        var server = URI.create(api.base());
        socket.setSoTimeout(PATIENCE_MS);
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

    /** So many bytes, or fewer if the stream ends before. */
    byte[] read(int bytes) throws IOException {
        return in.readNBytes(bytes);
    }

    /** The frames that are whole; one that was cut is as if it had not been sent. */
    static List<Frame> frames(byte[] bytes) {
        int end = bytes.length;
        while (end > 0 && !(end > 1 && bytes[end - 1] == '\n' && bytes[end - 2] == '\n')) {
            end--;
        }
        var frames = new ArrayList<Frame>();
        var whole = new ByteArrayInputStream(Arrays.copyOf(bytes, end));
        try (var reader = new FrameReader(whole, HttpHeaders.of(Map.of(), (_, _) -> true))) {
            for (var frame = reader.next(); frame != null; frame = reader.next()) {
                frames.add(frame);
            }
        }
        return frames;
    }

    /** The connection is reset, so that the server's next write fails at once. */
    void reset() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
