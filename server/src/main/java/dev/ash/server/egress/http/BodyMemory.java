package dev.ash.server.egress.http;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;

/** Limits the memory of the concurrent request bodies of one sandbox. */
public final class BodyMemory {
    static final long MAX_BYTES = 64L * 1024 * 1024;
    private static final int MAX_FIRST = 1024 * 1024;

    private final AtomicLong held = new AtomicLong();

    /** Counts against the sandbox until {@link #close}. */
    public final class Share implements AutoCloseable {
        private long bytes;

        /**
         * Reads a whole body. Allocates memory as bytes arrive: an announced length alone costs
         * little.
         *
         * @param expected the length, if known
         */
        byte[] readAll(InputStream in, long expected, int maxBytes)
                throws IOException, ProxyException {
            // One byte more, to read the end of the stream without growing.
            var body = new byte[(int) Math.min(expected, MAX_FIRST) + 1];
            int size = 0;
            for (int count = in.read(body, 0, body.length);
                    count >= 0;
                    count = in.read(body, size, body.length - size)) {
                size += count;
                if (size > maxBytes) {
                    throw tooLarge(maxBytes);
                }
                take(count);
                if (size == body.length) {
                    body = Arrays.copyOf(body, 2 * size);
                }
            }
            return Arrays.copyOf(body, size);
        }

        private void take(int count) throws ProxyException {
            bytes += count;
            if (held.addAndGet(count) > MAX_BYTES) {
                throw new ProxyException(
                        503,
                        "Ash: the model requests of this sandbox that are under way have more than"
                                + " %d MiB; try again later".formatted(MAX_BYTES >> 20));
            }
        }

        @Override
        public void close() {
            held.addAndGet(-bytes);
            bytes = 0;
        }
    }

    public Share share() {
        return new Share();
    }

    static ProxyException tooLarge(int maxBytes) {
        return new ProxyException(
                413,
                "Ash: a request to the model may have at most %d MiB; send less, for example fewer"
                                .formatted(maxBytes >> 20)
                        + " or smaller images");
    }
}
