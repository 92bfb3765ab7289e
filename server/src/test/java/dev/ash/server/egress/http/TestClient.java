package dev.ash.server.egress.http;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** A client of a proxy's socket that sends arbitrary bytes. */
public final class TestClient implements AutoCloseable {
    public record Response(ResponseHead head, String body) {
        public int status() {
            return head.status();
        }

        public String reason() {
            return head.reason();
        }
    }

    public final SocketChannel channel;
    public final InputStream in;
    private final HttpInput input;

    private TestClient(SocketChannel channel) {
        this.channel = channel;
        this.input = new HttpInput(stream(channel));
        this.in = input;
    }

    public static TestClient connect(Path socket) throws IOException {
        return new TestClient(SocketChannel.open(UnixDomainSocketAddress.of(socket)));
    }

    public void send(String text) throws IOException {
        send(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    public void send(byte[] bytes) throws IOException {
        var buffer = ByteBuffer.wrap(bytes);
        while (buffer.hasRemaining()) {
            channel.write(buffer);
        }
    }

    public Response response() throws IOException {
        return response("GET");
    }

    public Response response(String method) throws IOException {
        var head = head();
        var body = body(method, head).readAllBytes();
        return new Response(head, new String(body, StandardCharsets.UTF_8));
    }

    /** Reads a response up to its body. */
    public ResponseHead head() throws IOException {
        return ResponseHead.read(input);
    }

    public InputStream body(String method, ResponseHead head) throws IOException {
        return Framing.of(method, head).open(input);
    }

    /** Waits for data or the end; returns whether the proxy has closed the connection. */
    public boolean isClosed() {
        try {
            return !input.hasMore();
        } catch (IOException e) {
            return true;
        }
    }

    public OutputStream output() {
        return Channels.newOutputStream(channel);
    }

    /** Replaces the JDK's stream, whose reads hold a lock that blocks writes. */
    private static InputStream stream(SocketChannel channel) {
        return new InputStream() {
            @Override
            public int read() throws IOException {
                var one = new byte[1];
                return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
            }

            @Override
            public int read(byte[] bytes, int offset, int length) throws IOException {
                return channel.read(ByteBuffer.wrap(bytes, offset, length));
            }
        };
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
