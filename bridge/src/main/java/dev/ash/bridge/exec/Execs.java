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
 * The {@code exec} commands of a session: each runs beside all others and is answered by exactly
 * one result.
 */
public final class Execs implements AutoCloseable {
    private final Path workspace;
    private final Consumer<ExecResult> results;
    private final Set<Shell> running = ConcurrentHashMap.newKeySet();
    private final AtomicInteger unanswered = new AtomicInteger();
    private volatile boolean closed;

    public Execs(Path workspace, Consumer<ExecResult> results) {
        this.workspace = workspace;
        this.results = results;
    }

    /** Returns at once. */
    public void run(Exec exec, Map<String, String> environment) {
        unanswered.incrementAndGet();
        Thread.ofVirtual()
                .name("exec-" + exec.id())
                .start(
                        () -> {
                            results.accept(result(exec, environment));
                            unanswered.decrementAndGet();
                        });
    }

    private ExecResult result(Exec exec, Map<String, String> environment) {
        try {
            var result = execute(exec, environment);
            return new ExecResult(exec.id(), result.exitCode(), result.stdout(), result.stderr());
        } catch (IOException e) {
            return failed(exec, "ash: the command could not be started: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return failed(exec, "ash: the bridge is ending");
        } catch (RuntimeException | Error e) {
            return failed(exec, "ash: the bridge could not run the command: " + e);
        }
    }

    private ShellResult execute(Exec exec, Map<String, String> environment)
            throws IOException, InterruptedException {
        try (var shell = Shell.start(exec.command(), workspace, environment)) {
            running.add(shell);
            if (closed) {
                throw new IOException("the bridge is ending");
            }
            var result = shell.await(timeout(exec.timeoutMs()));
            running.remove(shell);
            return result;
        }
    }

    /** Whether there is a command whose result is not sent yet. */
    public boolean busy() {
        return unanswered.get() > 0;
    }

    private static ExecResult failed(Exec exec, String sentence) {
        return new ExecResult(exec.id(), ShellResult.NOT_STARTED, "", sentence + "\n");
    }

    private static Duration timeout(long millis) {
        if (millis <= 0) {
            return Limits.EXEC_TIMEOUT;
        }
        var wanted = Duration.ofMillis(millis);
        return wanted.compareTo(Limits.MAX_BRIDGE_EXEC_TIMEOUT) > 0
                ? Limits.MAX_BRIDGE_EXEC_TIMEOUT
                : wanted;
    }

    @Override
    public void close() {
        closed = true;
        running.forEach(Shell::close);
    }
}
