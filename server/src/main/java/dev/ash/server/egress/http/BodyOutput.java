package dev.ash.server.egress.http;

import java.io.IOException;
import java.io.OutputStream;

/** Writes a body, each piece immediately. */
sealed interface BodyOutput {
    int PIECE = 16 * 1024;

    void write(byte[] bytes, int length) throws IOException;

    /** Not called for a body that broke off: its reader must detect that. */
    void finish() throws IOException;

    record Plain(OutputStream out) implements BodyOutput {
        @Override
        public void write(byte[] bytes, int length) throws IOException {
            out.write(bytes, 0, length);
        }

        @Override
        public void finish() {}
    }

    record Chunks(OutputStream out) implements BodyOutput {
        /** One write for each piece: a chunk in three packets is three wake-ups for its reader. */
        @Override
        public void write(byte[] bytes, int length) throws IOException {
            if (length == 0) {
                return; // it would end the body
            }
            var size = HttpInput.bytes(Integer.toHexString(length) + "\r\n");
            var chunk = new byte[size.length + length + 2];
            System.arraycopy(size, 0, chunk, 0, size.length);
            System.arraycopy(bytes, 0, chunk, size.length, length);
            chunk[chunk.length - 2] = '\r';
            chunk[chunk.length - 1] = '\n';
            out.write(chunk, 0, chunk.length);
        }

        @Override
        public void finish() throws IOException {
            out.write(HttpInput.bytes("0\r\n\r\n"));
        }
    }
}
