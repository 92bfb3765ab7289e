package dev.ash.bridge;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** The other direction of {@link ChannelInput}. */
final class ChannelOutput extends OutputStream {
    private static final int PIECE = 64 * 1024;

    private final SocketChannel channel;

    ChannelOutput(SocketChannel channel) {
        this.channel = channel;
    }

    @Override
    public void write(int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        for (int done = 0; done < length; ) {
            int piece = Math.min(length - done, PIECE);
            done += channel.write(ByteBuffer.wrap(bytes, offset + done, piece));
        }
    }
}
