package dev.ash.server.workspace;

import java.io.IOException;
import java.io.InputStream;

/** An open file; the stream ends after {@code size} bytes even if the file grows. */
public record OpenFile(InputStream content, long size) implements AutoCloseable {
    @Override
    public void close() throws IOException {
        content.close();
    }
}
