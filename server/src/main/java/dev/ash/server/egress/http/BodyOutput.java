package dev.ash.server.egress.http;

import java.io.IOException;
import java.io.OutputStream;

/** Writes a body; sends each piece immediately. */
sealed interface BodyOutput {
    int PIECE = 16 * 1024;

    void write(byte[] bytes, int length) throws IOException;

    /**
     * Ends the body. Not called for a truncated body, so that its reader can detect the truncation.
     */
    void finish() throws IOException;

    /** Writes a body of known length, or one that ends with the connection. */
    record Plain(OutputStream out) implements BodyOutput {
        @Override
        public void write(byte[] bytes, int length) throws IOException {
            out.write(bytes, 0, length);
        }

        @Override
        public void finish() {}
    }

    /** Writes a chunked body. */
    record Chunks(OutputStream out) implements BodyOutput {
        /** Writes a chunk with a single call: three packets would wake its reader three times. */
        @Override
        public void write(byte[] bytes, int length) throws IOException {
            if (length == 0) {
                return; // an empty chunk would end the body
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
