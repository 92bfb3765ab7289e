package dev.ash.server.http;

import dev.ash.server.processor.ProcessorShares;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.function.BooleanSupplier;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Response;

/** Writes an answer straight to the connection; remembers whether the client is still there. */
final class AnswerSink extends OutputStream {
    /** A buffer of this size outside of the heap is made for every write that is larger. */
    private static final int MOST_AT_ONCE = 128 * 1024;

    private final Response response;
    private final BooleanSupplier isForbidden;
    private boolean ended;
    private volatile boolean broken;

    /** Once {@code isForbidden}, a stream is cut: the caller's key has been revoked. */
    AnswerSink(Response response, BooleanSupplier isForbidden) {
        this.response = response;
        this.isForbidden = isForbidden;
    }

    boolean isBroken() {
        return broken;
    }

    void write(boolean last, ByteBuffer bytes) throws IOException {
        if (broken || ended) {
            throw new IOException(broken ? "The client is gone" : "The answer has ended");
        }
        try {
            ended = last;
            int end = bytes.limit();
            while (end - bytes.position() > MOST_AT_ONCE) {
                int next = bytes.position() + MOST_AT_ONCE;
                send(false, bytes.limit(next));
                bytes.limit(end).position(next);
            }
            send(last, bytes);
        } catch (IOException | RuntimeException e) {
            broken = true;
            throw e instanceof IOException io ? io : new IOException("The client is gone", e);
        }
    }

    private void send(boolean last, ByteBuffer bytes) throws IOException {
        ProcessorShares.await(
                () -> {
                    Content.Sink.write(response, last, bytes);
                    return last;
                });
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        requireAllowed();
        write(false, ByteBuffer.wrap(bytes, offset, length));
    }

    private void requireAllowed() throws IOException {
        if (isForbidden.getAsBoolean()) {
            throw new IOException("The caller's key is no longer valid");
        }
    }

    @Override
    public void write(int value) throws IOException {
        write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void close() throws IOException {
        if (!ended) {
            requireAllowed();
            write(true, ByteBuffer.allocate(0));
        }
    }
}
