package dev.ash.sandbox;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * A socket channel as two streams that do not know of each other. Those of the JDK may share a
 * lock, and a reader that waits would keep writers out.
 */
final class ChannelStreams {
    static final class In extends InputStream {
        private final SocketChannel channel;

        In(SocketChannel channel) {
            this.channel = channel;
        }

        @Override
        public int read() throws IOException {
            var one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            return channel.read(ByteBuffer.wrap(bytes, offset, length));
        }
    }

    static final class Out extends OutputStream {
        private final SocketChannel channel;

        Out(SocketChannel channel) {
            this.channel = channel;
        }

        @Override
        public void write(int value) throws IOException {
            write(new byte[] {(byte) value}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            var rest = ByteBuffer.wrap(bytes, offset, length);
            while (rest.hasRemaining()) {
                channel.write(rest);
            }
        }
    }

    private ChannelStreams() {}
}
