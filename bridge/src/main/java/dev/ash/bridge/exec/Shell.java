package dev.ash.bridge.exec;

import dev.ash.bridge.engine.ProcessTree;
import dev.ash.protocol.Excerpt;
import dev.ash.protocol.Limits;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/**
 * A running command of {@code /bin/sh} in the workspace. It ends when the shell exits, even if
 * background processes remain; killing it kills all remaining descendants.
 */
public final class Shell implements AutoCloseable {
    private final String command;
    private final Process process;

    private Shell(String command, Process process) {
        this.command = command;
        this.process = process;
    }

    public static Shell start(String command, Path workspace, Map<String, String> environment)
            throws IOException {
        if (!Files.isDirectory(workspace)) {
            throw new IOException("the workspace " + workspace + " is not a directory");
        }
        var builder =
                new ProcessBuilder("/bin/sh", "-c", command)
                        .directory(workspace.toFile())
                        .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")));
        builder.environment().clear();
        builder.environment().putAll(environment);
        return new Shell(command, builder.start());
    }

    /** Waits for the end of the command; kills it after the timeout. */
    public ShellResult await(Duration timeout) throws InterruptedException {
        var name = "exec-" + process.pid();
        var stdout =
                CappedOutput.of(
                        process.getInputStream(), Limits.MAX_EXEC_OUTPUT_BYTES, name + "-stdout");
        var stderr =
                CappedOutput.of(
                        process.getErrorStream(), Limits.MAX_EXEC_OUTPUT_BYTES, name + "-stderr");
        boolean inTime = process.waitFor(timeout);
        if (!inTime) {
            close();
            process.waitFor();
        }
        stdout.drain();
        stderr.drain();
        return inTime
                ? new ShellResult(process.exitValue(), stdout.take(), stderr.take())
                : new ShellResult(
                        ShellResult.TIMED_OUT, stdout.take(), stderr.take() + timedOut(timeout));
    }

    private String timedOut(Duration timeout) {
        return "ash: the command was killed after "
                + timeout.toMillis()
                + " ms (timeout): "
                + Excerpt.of(command, 200)
                + "\n";
    }

    @Override
    public void close() {
        ProcessTree.kill(process.toHandle());
    }
}
