package dev.ash.protocol.socket;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * An input stream of a socket channel. The JDK's own streams of a channel may share a lock, so that
 * a blocked reader blocks writers; this class and {@link ChannelOutput} share no lock.
 */
public final class ChannelInput extends InputStream {
    /** The channel copies through a cached direct buffer of the size of each read or write. */
    static final int MAX_TRANSFER = 64 * 1024;

    private final SocketChannel channel;

    public ChannelInput(SocketChannel channel) {
        this.channel = channel;
    }

    @Override
    public int read() throws IOException {
        var one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        return channel.read(ByteBuffer.wrap(bytes, offset, Math.min(length, MAX_TRANSFER)));
    }
}
