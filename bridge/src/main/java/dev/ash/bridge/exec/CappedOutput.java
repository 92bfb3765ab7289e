package dev.ash.bridge.exec;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * Reads a stream and retains its first bytes up to a limit. The rest is read and dropped, so that a
 * full pipe never blocks the writer. Thread-safe.
 */
final class CappedOutput {
    private static final Duration QUIET_PERIOD = Duration.ofMillis(100);
    private static final Duration MAX_DRAIN = Duration.ofSeconds(1);

    private final int limit;
    private final ByteArrayOutputStream kept = new ByteArrayOutputStream();
    private final Thread reader;
    private long total;
    private long lastByteAt = System.nanoTime();
    private boolean closed;

    private CappedOutput(InputStream in, int limit, String name) {
        this.limit = limit;
        // Not a virtual thread: a daemon that the command started may keep the pipe open for
        // hours, and a blocked pipe read pins one of the few carriers.
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
            // The process has exited.
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
     * Waits for the end of the stream. A process that outlives the shell may keep the pipe open, so
     * this also returns when no output arrives for a while.
     */
    void drain() throws InterruptedException {
        long deadline = System.nanoTime() + MAX_DRAIN.toNanos();
        while (!reader.join(QUIET_PERIOD) && !isQuiet() && System.nanoTime() < deadline) {
            // wait for more output
        }
    }

    private synchronized boolean isQuiet() {
        return System.nanoTime() - lastByteAt >= QUIET_PERIOD.toNanos();
    }

    /** Returns the retained output; invalid UTF-8 becomes replacement characters. */
    synchronized String take() {
        var text = WireText.truncate(kept.toString(StandardCharsets.UTF_8));
        boolean isComplete = total == kept.size() && text.isComplete();
        closed = true;
        kept.reset();
        return isComplete
                ? text.text()
                : text.text() + "\n[ash: output truncated; " + total + " bytes were written]\n";
    }
}
