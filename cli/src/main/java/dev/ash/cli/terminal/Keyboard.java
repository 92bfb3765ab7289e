package dev.ash.cli.terminal;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Lines that a person types while a turn runs. It looks every few milliseconds whether there is
 * one, because a thread that waits in a read could not be told that the answer is not wanted any
 * more and would take the next line away from somebody else.
 */
public record Keyboard(InputStream in) {
    private static final long LOOK_MS = 40;

    /** Throws away what was typed before there was a question: it cannot be the answer. */
    public void forget() throws IOException {
        while (in.available() > 0 && in.read() >= 0) {
            // dropped
        }
    }

    /** The next line, however long it takes; empty at the end of the input. */
    public String line() throws IOException {
        var line = new ByteArrayOutputStream();
        for (int next = in.read(); next >= 0 && next != '\n'; next = in.read()) {
            line.write(next);
        }
        return line.toString(StandardCharsets.UTF_8).strip();
    }

    /** The next line; null as soon as it is not wanted any more. */
    public @Nullable String line(BooleanSupplier wanted) throws IOException, InterruptedException {
        var line = new ByteArrayOutputStream();
        while (wanted.getAsBoolean()) {
            while (in.available() > 0) {
                int next = in.read();
                if (next == '\n' || next < 0) {
                    return line.toString(StandardCharsets.UTF_8).strip();
                }
                line.write(next);
            }
            Thread.sleep(LOOK_MS);
        }
        return null;
    }
}
