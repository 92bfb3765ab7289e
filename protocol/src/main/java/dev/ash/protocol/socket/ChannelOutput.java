package dev.ash.protocol.socket;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** Writes a socket channel as a stream, the counterpart of {@link ChannelInput}. */
public final class ChannelOutput extends OutputStream {
    private final SocketChannel channel;

    public ChannelOutput(SocketChannel channel) {
        this.channel = channel;
    }

    @Override
    public void write(int value) throws IOException {
        write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        for (int done = 0; done < length; ) {
            int piece = Math.min(length - done, ChannelInput.PIECE);
            done += channel.write(ByteBuffer.wrap(bytes, offset + done, piece));
        }
    }
}
