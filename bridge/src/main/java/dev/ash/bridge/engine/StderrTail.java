package dev.ash.bridge.engine;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/** Copies the stderr of a child to the bridge's stderr and retains the last 64 KiB. */
public final class StderrTail {
    private static final int CAPACITY = 64 * 1024;
    private static final int SHOWN_CHARS = 2000;

    private final byte[] ring = new byte[CAPACITY];
    private long written;

    public void follow(InputStream stderr) {
        var buffer = new byte[8 * 1024];
        try {
            for (int count = stderr.read(buffer); count >= 0; count = stderr.read(buffer)) {
                System.err.write(buffer, 0, count);
                add(buffer, count);
            }
        } catch (IOException e) {
            // The child has exited; its output so far is retained.
        }
    }

    private synchronized void add(byte[] bytes, int count) {
        for (int i = 0; i < count; i++) {
            ring[(int) (written++ % CAPACITY)] = bytes[i];
        }
    }

    synchronized String text() {
        int length = (int) Math.min(written, CAPACITY);
        var bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = ring[(int) ((written - length + i) % CAPACITY)];
        }
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /** Returns the end of the output, short enough for a message. */
    public String excerpt() {
        var text = text().strip();
        return text.length() <= SHOWN_CHARS
                ? text
                : "…" + text.substring(text.length() - SHOWN_CHARS);
    }
}
