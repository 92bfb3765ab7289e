package dev.ash.sandbox.launch;

import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * Starts every child of the server, always from one platform thread that never ends. The kernel
 * ties some promises about a child to the thread that forked it; carriers of virtual threads
 * retire, and would take children with them.
 */
public final class Spawner implements AutoCloseable {
    private static final Redirect NOTHING = Redirect.from(new File("/dev/null"));

    private final ExecutorService thread =
            Executors.newSingleThreadExecutor(
                    Thread.ofPlatform().daemon().name("ash-spawner").factory());

    /** The limits of a sandbox are to be set here, before the program runs; there are none yet. */
    public Process spawnWithLimits(Command command) throws IOException {
        Future<Process> start;
        try {
            start = thread.submit(() -> start(command));
        } catch (RejectedExecutionException e) {
            throw new IOException("the server is shutting down and starts no more processes", e);
        }
        return await(start);
    }

    /** Runs a short program to its end and tells its exit code; one that takes longer is killed. */
    public int run(Command command, Duration timeout) throws IOException {
        var process = spawnWithLimits(command);
        try {
            if (process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
                return process.exitValue();
            }
            throw new IOException(
                    command.words().getFirst()
                            + " did not end within "
                            + timeout.toSeconds()
                            + " s");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while waiting for " + command.words().getFirst(), e);
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }

    private static Process start(Command command) throws IOException {
        var builder =
                new ProcessBuilder(command.words())
                        .directory(command.directory().toFile())
                        .redirectInput(command.input() == null ? NOTHING : Redirect.PIPE)
                        .redirectOutput(command.stdout())
                        .redirectError(command.stderr());
        builder.environment().clear();
        builder.environment().putAll(command.environment());
        var process = builder.start();
        if (command.input() != null) {
            write(command.input(), process);
        }
        return process;
    }

    /** Never blocks: a pipe has room for far more than such an input. */
    private static void write(String input, Process process) {
        try (var out = process.getOutputStream()) {
            out.write(input.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            // It has ended already, which whoever waits for it will notice.
        }
    }

    /** Not interruptible: a caller that left early would leave behind a process nobody knows. */
    private static Process await(Future<Process> start) throws IOException {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return start.get();
                } catch (InterruptedException e) {
                    interrupted = true;
                } catch (ExecutionException e) {
                    throw e.getCause() instanceof IOException io
                            ? io
                            : new IOException(e.getCause());
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public void close() {
        thread.shutdown();
    }
}
