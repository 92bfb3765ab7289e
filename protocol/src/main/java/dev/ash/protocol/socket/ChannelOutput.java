package dev.ash.protocol.socket;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** An output stream of a socket channel, the counterpart of {@link ChannelInput}. */
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
            int count = Math.min(length - done, ChannelInput.MAX_TRANSFER);
            done += channel.write(ByteBuffer.wrap(bytes, offset + done, count));
        }
    }
}
