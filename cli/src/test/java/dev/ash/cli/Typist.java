package dev.ash.cli;

import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** A person who types the next line only once the screen asks for one. */
final class Typist extends InputStream {
    private final List<String> lines;
    private final ByteArrayOutputStream screen;
    private int begun;
    private byte[] rest = {};
    private int position;

    Typist(List<String> lines, ByteArrayOutputStream screen) {
        this.lines = lines;
        this.screen = screen;
    }

    @Override
    public synchronized int available() {
        if (position == rest.length && begun < lines.size() && questions() > begun) {
            rest = (lines.get(begun++) + "\n").getBytes(StandardCharsets.UTF_8);
            position = 0;
        }
        return rest.length - position;
    }

    @Override
    public synchronized int read() {
        return available() == 0 ? -1 : rest[position++] & 0xff;
    }

    private int questions() {
        return screen.toString(StandardCharsets.UTF_8).split(" > ", -1).length - 1;
    }
}
