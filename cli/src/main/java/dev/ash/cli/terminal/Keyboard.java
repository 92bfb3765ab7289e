package dev.ash.cli.terminal;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads lines that the user types while a turn runs. Polls for input, because a thread blocked in a
 * read cannot be canceled and would consume the next line.
 */
public record Keyboard(InputStream in) {
    private static final long POLL_MS = 40;

    /** Discards input typed before the question was shown. */
    public void discardInput() throws IOException {
        while (in.available() > 0 && in.read() >= 0) {
            // discard
        }
    }

    /** Blocks for the next line; returns an empty string at the end of the input. */
    public String readLine() throws IOException {
        var line = new ByteArrayOutputStream();
        for (int next = in.read(); next >= 0 && next != '\n'; next = in.read()) {
            line.write(next);
        }
        return line.toString(StandardCharsets.UTF_8).strip();
    }

    /** Returns the next line, or null once {@code isActive} returns false. */
    public @Nullable String readLine(BooleanSupplier isActive)
            throws IOException, InterruptedException {
        var line = new ByteArrayOutputStream();
        while (isActive.getAsBoolean()) {
            while (in.available() > 0) {
                int next = in.read();
                if (next == '\n' || next < 0) {
                    return line.toString(StandardCharsets.UTF_8).strip();
                }
                line.write(next);
            }
            Thread.sleep(POLL_MS);
        }
        return null;
    }
}
