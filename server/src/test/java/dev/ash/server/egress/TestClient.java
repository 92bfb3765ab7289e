package dev.ash.server.egress;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** A sandbox's end of the socket, which may say anything. */
final class TestClient implements AutoCloseable {
    record Answer(ResponseHead head, String body) {
        int status() {
            return head.status();
        }

        String reason() {
            return head.reason();
        }
    }

    final SocketChannel channel;
    final HttpInput in;

    private TestClient(SocketChannel channel) {
        this.channel = channel;
        this.in = new HttpInput(stream(channel));
    }

    static TestClient connect(Path socket) throws IOException {
        return new TestClient(SocketChannel.open(UnixDomainSocketAddress.of(socket)));
    }

    void send(String text) throws IOException {
        send(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    void send(byte[] bytes) throws IOException {
        var buffer = ByteBuffer.wrap(bytes);
        while (buffer.hasRemaining()) {
            channel.write(buffer);
        }
    }

    Answer answer() throws IOException {
        return answer("GET");
    }

    Answer answer(String method) throws IOException {
        var head = ResponseHead.read(in);
        var body = Framing.of(method, head).open(in).readAllBytes();
        return new Answer(head, new String(body, StandardCharsets.UTF_8));
    }

    /** Whether the other side has ended the connection. */
    boolean ended() {
        try {
            return !in.more();
        } catch (IOException e) {
            return true;
        }
    }

    OutputStream output() {
        return Channels.newOutputStream(channel);
    }

    /** Not the JDK's, which holds a lock that its output wants as well. */
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
