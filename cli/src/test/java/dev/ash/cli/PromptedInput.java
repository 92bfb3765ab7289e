package dev.ash.cli;

import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Input that provides the next line only after another prompt on the screen. */
final class PromptedInput extends InputStream {
    private final List<String> lines;
    private final ByteArrayOutputStream screen;
    private int started;
    private byte[] rest = {};
    private int position;

    PromptedInput(List<String> lines, ByteArrayOutputStream screen) {
        this.lines = lines;
        this.screen = screen;
    }

    @Override
    public synchronized int available() {
        if (position == rest.length && started < lines.size() && prompts() > started) {
            rest = (lines.get(started++) + "\n").getBytes(StandardCharsets.UTF_8);
            position = 0;
        }
        return rest.length - position;
    }

    @Override
    public synchronized int read() {
        return available() == 0 ? -1 : rest[position++] & 0xff;
    }

    private int prompts() {
        return screen.toString(StandardCharsets.UTF_8).split(" > ", -1).length - 1;
    }
}
