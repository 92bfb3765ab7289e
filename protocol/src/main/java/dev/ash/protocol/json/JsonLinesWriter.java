package dev.ash.protocol.json;

import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Writes JSON values as lines, each with a single write under a lock, so that concurrent writers do
 * not interleave. Thread-safe.
 */
public final class JsonLinesWriter {
    private final OutputStream out;
    private final ReentrantLock lock = new ReentrantLock();

    public JsonLinesWriter(OutputStream out) {
        this.out = out;
    }

    public void write(RawJson value) throws IOException {
        var line = new byte[value.length() + 1];
        System.arraycopy(value.array(), value.start(), line, 0, value.length());
        line[value.length()] = '\n';
        lock.lock();
        try {
            out.write(line);
            out.flush();
        } finally {
            lock.unlock();
        }
    }
}
