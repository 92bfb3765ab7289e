package dev.ash.bridge.exec;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * The first bytes of a stream, up to a limit; the rest is read and dropped, so that the writer is
 * never stopped by a full pipe. Guarded by its own monitor.
 */
final class CappedOutput {
    private static final Duration QUIET = Duration.ofMillis(100);
    private static final Duration QUIET_AT_LAST = Duration.ofSeconds(1);

    private final int limit;
    private final ByteArrayOutputStream kept = new ByteArrayOutputStream();
    private final Thread reader;
    private long total;
    private long lastByteAt = System.nanoTime();
    private boolean closed;

    private CappedOutput(InputStream in, int limit, String name) {
        this.limit = limit;
        // Not a virtual thread: a daemon that the command left behind may hold the pipe for hours,
        // and a blocked pipe read occupies a carrier of which there are few.
        this.reader = Thread.ofPlatform().daemon().name(name).unstarted(() -> read(in));
    }

    static CappedOutput of(InputStream in, int limit, String name) {
        var output = new CappedOutput(in, limit, name);
        output.reader.start();
        return output;
    }

    private void read(InputStream in) {
        var buffer = new byte[16 * 1024];
        try {
            for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                add(buffer, count);
            }
        } catch (IOException e) {
            // The process is gone, and with it the stream.
        }
    }

    private synchronized void add(byte[] bytes, int count) {
        lastByteAt = System.nanoTime();
        if (!closed) {
            kept.write(bytes, 0, Math.min(count, limit - kept.size()));
            total += count;
        }
    }

    /**
     * Returns at the end of the stream, or when nothing more comes from a pipe that somebody keeps
     * open after the shell is gone.
     */
    void drain() throws InterruptedException {
        long deadline = System.nanoTime() + QUIET_AT_LAST.toNanos();
        while (!reader.join(QUIET) && !quiet() && System.nanoTime() < deadline) {
            // more is coming
        }
    }

    private synchronized boolean quiet() {
        return System.nanoTime() - lastByteAt >= QUIET.toNanos();
    }

    /** What was kept, as text; bytes that are no UTF-8 become replacement characters. */
    synchronized String take() {
        var text = WireText.fitting(kept.toString(StandardCharsets.UTF_8));
        boolean whole = total == kept.size() && text.whole();
        closed = true;
        kept.reset();
        return whole
                ? text.text()
                : text.text() + "\n[ash: output cut off here; " + total + " bytes were written]\n";
    }
}
