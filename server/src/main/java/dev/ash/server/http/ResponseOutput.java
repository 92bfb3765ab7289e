package dev.ash.server.http;

import dev.ash.server.processor.ProcessorShares;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.function.BooleanSupplier;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Response;

/** Writes a response body to the connection, and records whether the client disconnected. */
final class ResponseOutput extends OutputStream {
    /** Larger writes are split: each write allocates a buffer of its size outside the heap. */
    private static final int MAX_WRITE = 128 * 1024;

    private final Response response;
    private final BooleanSupplier isForbidden;
    private boolean complete;
    private volatile boolean broken;

    /** Aborts the response when {@code isForbidden}: the caller's key is no longer valid. */
    ResponseOutput(Response response, BooleanSupplier isForbidden) {
        this.response = response;
        this.isForbidden = isForbidden;
    }

    boolean isBroken() {
        return broken;
    }

    void write(boolean last, ByteBuffer bytes) throws IOException {
        if (broken || complete) {
            throw new IOException(
                    broken ? "The client has disconnected" : "The response is complete");
        }
        try {
            complete = last;
            int end = bytes.limit();
            while (end - bytes.position() > MAX_WRITE) {
                int next = bytes.position() + MAX_WRITE;
                send(false, bytes.limit(next));
                bytes.limit(end).position(next);
            }
            send(last, bytes);
        } catch (IOException | RuntimeException e) {
            broken = true;
            throw e instanceof IOException io
                    ? io
                    : new IOException("The client has disconnected", e);
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
        if (!complete) {
            requireAllowed();
            write(true, ByteBuffer.allocate(0));
        }
    }
}
