package dev.ash.bridge.exec;

import dev.ash.protocol.Limits;
import dev.ash.protocol.bridge.BridgeCommand.Exec;
import dev.ash.protocol.bridge.BridgeEvent.ExecResult;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * Runs the {@code exec} commands of a session concurrently and sends exactly one result for each.
 */
public final class ExecCommands implements AutoCloseable {
    private final Path workspace;
    private final Consumer<ExecResult> results;
    private final Set<Shell> running = ConcurrentHashMap.newKeySet();
    private final AtomicInteger inFlight = new AtomicInteger();
    private volatile boolean closed;

    public ExecCommands(Path workspace, Consumer<ExecResult> results) {
        this.workspace = workspace;
        this.results = results;
    }

    /** Starts a command; does not block. */
    public void run(Exec exec, Map<String, String> environment) {
        inFlight.incrementAndGet();
        Thread.ofVirtual()
                .name("exec-" + exec.id())
                .start(
                        () -> {
                            results.accept(result(exec, environment));
                            inFlight.decrementAndGet();
                        });
    }

    private ExecResult result(Exec exec, Map<String, String> environment) {
        try {
            var result = execute(exec, environment);
            return new ExecResult(exec.id(), result.exitCode(), result.stdout(), result.stderr());
        } catch (IOException e) {
            return failed(exec, "ash: cannot start the command: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return failed(exec, "ash: the bridge is shutting down");
        } catch (RuntimeException | Error e) {
            return failed(exec, "ash: internal error of the bridge: " + e);
        }
    }

    private ShellResult execute(Exec exec, Map<String, String> environment)
            throws IOException, InterruptedException {
        try (var shell = Shell.start(exec.command(), workspace, environment)) {
            running.add(shell);
            if (closed) {
                throw new IOException("the bridge is shutting down");
            }
            var result = shell.await(timeout(exec.timeoutMs()));
            running.remove(shell);
            return result;
        }
    }

    /** Returns whether there is a command whose result has not been sent. */
    public boolean isBusy() {
        return inFlight.get() > 0;
    }

    private static ExecResult failed(Exec exec, String message) {
        return new ExecResult(exec.id(), ShellResult.NOT_STARTED, "", message + "\n");
    }

    private static Duration timeout(long millis) {
        if (millis <= 0) {
            return Limits.EXEC_TIMEOUT;
        }
        var requested = Duration.ofMillis(millis);
        return requested.compareTo(Limits.MAX_BRIDGE_EXEC_TIMEOUT) > 0
                ? Limits.MAX_BRIDGE_EXEC_TIMEOUT
                : requested;
    }

    @Override
    public void close() {
        closed = true;
        running.forEach(Shell::close);
    }
}
