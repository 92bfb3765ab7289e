package dev.ash.bench.server;

import java.io.BufferedReader;
import java.io.IOException;

/**
 * The lines of a response.
 *
 * @param begin when the request was sent, in the time of {@link System#nanoTime}
 */
public record ResponseLines(long begin, BufferedReader reader) implements AutoCloseable {
    public String next() throws IOException {
        var line = reader.readLine();
        if (line == null) {
            throw new IOException("unexpected end of stream");
        }
        return line;
    }

    public void readToEnd() throws IOException {
        while (reader.readLine() != null) {}
    }

    @Override
    public void close() throws IOException {
        reader.close();
    }
}
