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
 * Starts all child processes of the server from one platform thread that never exits. The kernel
 * ties some settings of a child, such as the parent-death signal, to the thread that forked it;
 * carriers of virtual threads exit, and their children would be killed.
 */
public final class Spawner implements AutoCloseable {
    private static final Redirect NO_INPUT = Redirect.from(new File("/dev/null"));

    private final ExecutorService thread =
            Executors.newSingleThreadExecutor(
                    Thread.ofPlatform().daemon().name("ash-spawner").factory());

    /** Starts a process; the command sets its limits itself, see {@link LaunchScript}. */
    public Process spawnWithLimits(Command command) throws IOException {
        Future<Process> start;
        try {
            start = thread.submit(() -> start(command));
        } catch (RejectedExecutionException e) {
            throw new IOException("the server is shutting down and starts no more processes", e);
        }
        return await(start);
    }

    /** Runs a short program and returns its exit code; kills it after the timeout. */
    public int run(Command command, Duration timeout) throws IOException {
        var process = spawnWithLimits(command);
        try {
            if (process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
                return process.exitValue();
            }
            throw new IOException(
                    command.arguments().getFirst()
                            + " did not exit within "
                            + timeout.toSeconds()
                            + " s");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(
                    "interrupted while waiting for " + command.arguments().getFirst(), e);
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }

    private static Process start(Command command) throws IOException {
        var builder =
                new ProcessBuilder(command.arguments())
                        .directory(command.directory().toFile())
                        .redirectInput(command.input() == null ? NO_INPUT : Redirect.PIPE)
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

    /** Writes the input; never blocks, as it fits in the pipe's buffer. */
    private static void write(String input, Process process) {
        try (var out = process.getOutputStream()) {
            out.write(input.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            // The process has exited already; the caller detects that.
        }
    }

    /** Waits uninterruptibly: an interrupted caller would lose track of the process. */
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
