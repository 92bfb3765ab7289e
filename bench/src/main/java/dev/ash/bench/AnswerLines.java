package dev.ash.bench;

import java.io.BufferedReader;
import java.io.IOException;

/**
 * The lines of an answer.
 *
 * @param begin when the request was sent, as {@link System#nanoTime} tells it
 */
public record AnswerLines(long begin, BufferedReader reader) implements AutoCloseable {
    public String next() throws IOException {
        var line = reader.readLine();
        if (line == null) {
            throw new IOException("the stream ended");
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
