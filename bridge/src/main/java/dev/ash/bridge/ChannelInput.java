package dev.ash.bridge;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * A channel as a stream, in pieces: the channel copies through a direct buffer as large as the
 * piece and keeps it.
 */
final class ChannelInput extends InputStream {
    private static final int PIECE = 64 * 1024;

    private final SocketChannel channel;

    ChannelInput(SocketChannel channel) {
        this.channel = channel;
    }

    @Override
    public int read() throws IOException {
        var one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        return channel.read(ByteBuffer.wrap(bytes, offset, Math.min(length, PIECE)));
    }
}
