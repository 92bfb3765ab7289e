package dev.ash.bridge.engine;

import dev.ash.protocol.Limits;
import dev.ash.protocol.json.JsonLinesReader;
import dev.ash.protocol.json.JsonLinesWriter;
import dev.ash.protocol.json.RawJson;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A child that is spoken to in lines. One thread reads its stdout and hands over each line in
 * order, one copies its stderr, and one waits for its end, which is the only place that reports it:
 * a grandchild may hold stdout open long after the child died.
 */
public final class LineProcess {
    /** Room for the envelope, so that a line of the child still fits into one of the bridge. */
    private static final int MAX_LINE_BYTES = Limits.MAX_LINE_BYTES - 1024;

    private static final Duration STALLED = Duration.ofMillis(250);
    private static final Duration AFTER_SIGTERM = Duration.ofMillis(500);
    private static final Duration AFTER_EOF = Duration.ofSeconds(2);

    /** What a child says; calls come one after the other. */
    public interface Listener {
        void line(RawJson line);

        /** Comes once, after the last line. */
        void ended(Exit exit);
    }

    /** How it ended, as in "ended with exit code 1", and the last it said on stderr. */
    public record Exit(String how, String said) {}

    private final Process process;
    private final JsonLinesWriter stdin;
    private final StderrTail stderr = new StderrTail();
    private final AtomicLong lines = new AtomicLong();
    private volatile boolean waitingForLine = true;
    private volatile boolean over;
    private volatile @Nullable String fault;

    private LineProcess(Process process) {
        this.process = process;
        this.stdin = new JsonLinesWriter(process.getOutputStream());
    }

    public static LineProcess spawn(
            List<String> command, Path directory, Map<String, String> environment)
            throws IOException {
        var builder = new ProcessBuilder(command).directory(directory.toFile());
        builder.environment().clear();
        builder.environment().putAll(environment);
        return new LineProcess(builder.start());
    }

    /**
     * To be called once; nothing is read before. The readers are platform threads: a virtual thread
     * keeps its carrier while it reads from a pipe. When two of them wait on a machine with two
     * processors and the other carriers have ended after 30 s of idleness, the JDK starts no new
     * one, and the bridge stands still until the engine writes something.
     */
    public void listen(Listener listener) {
        var name = "engine-" + process.pid();
        var readers = Thread.ofPlatform().daemon();
        var reader = readers.name(name + "-stdout").start(() -> read(listener));
        var errors =
                readers.name(name + "-stderr").start(() -> stderr.follow(process.getErrorStream()));
        Thread.ofVirtual().name(name + "-exit").start(() -> watch(reader, errors, listener));
    }

    public boolean alive() {
        return process.isAlive();
    }

    /** Blocks while the child does not read; one that never will is killed, and its end says so. */
    public void write(RawJson line) {
        try {
            stdin.write(line);
        } catch (IOException e) {
            kill();
        }
    }

    /**
     * Asks the child to leave by closing its stdin, then by SIGTERM, so that it can still write
     * what it holds; kills what is left of its tree after that.
     */
    public void finish(Duration patience) {
        var family = process.descendants().toList();
        try {
            process.getOutputStream().close();
        } catch (IOException e) {
            // It is gone already.
        }
        try {
            if (!process.waitFor(patience)) {
                process.destroy();
                process.waitFor(AFTER_SIGTERM);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        kill();
        family.forEach(ProcessHandle::destroyForcibly);
    }

    public void kill() {
        ProcessTree.kill(process.toHandle());
    }

    private void read(Listener listener) {
        var reader = new JsonLinesReader(process.getInputStream(), MAX_LINE_BYTES);
        try {
            for (var line = reader.next(); line != null && !over; line = reader.next()) {
                waitingForLine = false;
                listener.line(line);
                lines.incrementAndGet();
                waitingForLine = true;
            }
            process.waitFor(AFTER_EOF); // without stdout it can be of no use any more
        } catch (IOException e) {
            fault = "it wrote " + e.getMessage();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException | Error e) {
            fault = "the bridge could not take what it wrote: " + e;
        } finally {
            kill();
        }
    }

    private void watch(Thread reader, Thread errors, Listener listener) {
        try {
            process.waitFor();
            long before;
            do {
                before = lines.get();
            } while (!reader.join(STALLED) && !(waitingForLine && lines.get() == before));
            over = true;
            errors.join(STALLED);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        listener.ended(new Exit(how(), stderr.excerpt()));
    }

    private String how() {
        int status = process.exitValue();
        var why = fault;
        if (why != null) {
            return "was ended, because " + why;
        }
        return status > 128
                ? "was killed by signal " + (status - 128)
                : "ended with exit code " + status;
    }
}
