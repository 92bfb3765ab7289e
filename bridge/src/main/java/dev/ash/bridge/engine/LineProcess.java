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
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A child process that exchanges JSON lines over stdin and stdout. One thread reads stdout, one
 * copies stderr, and one waits for the exit and reports it: the end of stdout is no sign of the
 * exit, because a grandchild may keep stdout open.
 */
public final class LineProcess {
    /** Reserves space for the envelope, so that a line of the child fits into one of the bridge. */
    private static final int MAX_LINE_BYTES = Limits.MAX_LINE_BYTES - 1024;

    private static final Duration STALLED = Duration.ofMillis(250);
    private static final Duration AFTER_SIGTERM = Duration.ofMillis(500);
    private static final Duration AFTER_EOF = Duration.ofSeconds(2);

    /** Receives the output of the child; calls are sequential. */
    public interface Listener {
        void onLine(RawJson line);

        /** Called once, after the last line. */
        void onExit(Exit exit);
    }

    /** The exit as a description such as "exited with code 1", and the end of stderr. */
    public record Exit(String description, String stderr) {}

    private final Process process;
    private final boolean leadsSession;
    private final JsonLinesWriter stdin;
    private final StderrTail stderr = new StderrTail();
    private final AtomicLong lines = new AtomicLong();
    private volatile boolean waitingForLine = true;
    private volatile boolean stopped;
    private volatile @Nullable String failure;

    private LineProcess(Process process, boolean leadsSession) {
        this.process = process;
        this.leadsSession = leadsSession;
        this.stdin = new JsonLinesWriter(process.getOutputStream());
    }

    public static LineProcess spawn(
            List<String> command, Path directory, Map<String, String> environment)
            throws IOException {
        return new LineProcess(start(command, directory, environment), false);
    }

    /**
     * Like {@link #spawn}, but also kills the processes that survive the exit of their parent. See
     * {@link UnixSession}.
     */
    public static LineProcess spawnInSession(
            List<String> command, Path directory, Map<String, String> environment)
            throws IOException {
        return UnixSession.isSupported()
                ? new LineProcess(start(UnixSession.leading(command), directory, environment), true)
                : spawn(command, directory, environment);
    }

    private static Process start(
            List<String> command, Path directory, Map<String, String> environment)
            throws IOException {
        var builder = new ProcessBuilder(command).directory(directory.toFile());
        builder.environment().clear();
        builder.environment().putAll(environment);
        return builder.start();
    }

    /**
     * Starts reading; called once. The readers are platform threads: a virtual thread pins its
     * carrier while it reads from a pipe. If two of them block on a machine with two processors and
     * the other carriers have exited after 30 s of idleness, the JDK starts no new one, and the
     * bridge hangs until the engine writes something.
     */
    public void listen(Listener listener) {
        var name = "engine-" + process.pid();
        var readers = Thread.ofPlatform().daemon();
        var reader = readers.name(name + "-stdout").start(() -> read(listener));
        var errors =
                readers.name(name + "-stderr").start(() -> stderr.follow(process.getErrorStream()));
        Thread.ofVirtual().name(name + "-exit").start(() -> awaitExit(reader, errors, listener));
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** Writes a line; blocks while the child does not read. Kills the child if writing fails. */
    public void write(RawJson line) {
        try {
            stdin.write(line);
        } catch (IOException e) {
            kill();
        }
    }

    /**
     * Closes stdin and waits for the exit, then sends SIGTERM, so that the child can write its
     * state; finally kills the remaining processes of its tree.
     */
    public void finish(Duration timeout) {
        var descendants = process.descendants().toList();
        try {
            process.getOutputStream().close();
        } catch (IOException e) {
            // The child has already exited.
        }
        try {
            if (!process.waitFor(timeout)) {
                process.destroy();
                process.waitFor(AFTER_SIGTERM);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        kill();
        descendants.forEach(ProcessHandle::destroyForcibly);
    }

    /** Returns the processes that the child and its children have started and that still run. */
    public Set<ProcessHandle> descendants() {
        var descendants = process.descendants().collect(Collectors.toSet());
        if (leadsSession) {
            descendants.addAll(UnixSession.members(process.pid())); // also those without a parent
            descendants.remove(process.toHandle());
        }
        return descendants;
    }

    public void kill() {
        ProcessTree.kill(process.toHandle());
        killSession();
    }

    private void killSession() {
        if (leadsSession) {
            UnixSession.kill(process.pid());
        }
    }

    private void read(Listener listener) {
        var reader = new JsonLinesReader(process.getInputStream(), MAX_LINE_BYTES);
        try {
            for (var line = reader.next(); line != null && !stopped; line = reader.next()) {
                waitingForLine = false;
                listener.onLine(line);
                lines.incrementAndGet();
                waitingForLine = true;
            }
            process.waitFor(AFTER_EOF); // a child without stdout is useless
        } catch (IOException e) {
            failure = "its output is invalid: " + e.getMessage();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException | Error e) {
            failure = "the bridge failed to process its output: " + e;
        } finally {
            kill();
        }
    }

    private void awaitExit(Thread reader, Thread errors, Listener listener) {
        try {
            process.waitFor();
            killSession();
            long before;
            do {
                before = lines.get();
            } while (!reader.join(STALLED) && !(waitingForLine && lines.get() == before));
            stopped = true;
            errors.join(STALLED);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        listener.onExit(new Exit(describeExit(), stderr.excerpt()));
    }

    private String describeExit() {
        int status = process.exitValue();
        var reason = failure;
        if (reason != null) {
            return "was terminated, because " + reason;
        }
        return status > 128
                ? "was killed by signal " + (status - 128)
                : "exited with code " + status;
    }
}
