package dev.ash.server.egress;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.atomic.AtomicLong;

/** Bounds the memory that the request bodies of one sandbox take at the same time. */
final class BodyMemory {
    static final long MAX_BYTES = 64L * 1024 * 1024;

    private final AtomicLong held = new AtomicLong();

    /** Counts against the sandbox until {@link #close}. */
    final class Share implements AutoCloseable {
        private long bytes;

        /**
         * All of a body. Memory is taken as bytes arrive, so a length that is only announced costs
         * nothing.
         */
        byte[] readAll(InputStream in, int maxBytes) throws IOException, Refusal {
            var body = new ByteArrayOutputStream();
            var piece = new byte[BodyOutput.PIECE];
            for (int count = in.read(piece); count >= 0; count = in.read(piece)) {
                if (body.size() + count > maxBytes) {
                    throw tooLarge(maxBytes);
                }
                take(count);
                body.write(piece, 0, count);
            }
            return body.toByteArray();
        }

        private void take(int count) throws Refusal {
            bytes += count;
            if (held.addAndGet(count) > MAX_BYTES) {
                throw new Refusal(
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

    Share share() {
        return new Share();
    }

    static Refusal tooLarge(int maxBytes) {
        return new Refusal(
                413,
                "Ash: a request to the model may have at most %d MiB; send less, for example fewer"
                                .formatted(maxBytes >> 20)
                        + " or smaller images");
    }
}
