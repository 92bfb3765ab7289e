package dev.ash.bridge.command;

import dev.ash.bridge.engine.EngineException;
import dev.ash.bridge.engine.ProcessTree;
import dev.ash.bridge.engine.StderrTail;
import dev.ash.bridge.engine.UnixSession;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** One run of the program, from its prompt to its exit. */
final class CommandRun {
    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(5);

    /** A process that left the program's session may keep its output open. */
    private static final Duration DRAIN_TIMEOUT = Duration.ofSeconds(1);

    private static final int KILLED = 128 + 9;

    private final Process process;
    private final boolean leadsSession;
    private final StderrTail stderr = new StderrTail();
    private volatile boolean stopping;
    private volatile boolean drained;

    /** How a run ended. */
    record Outcome(int exitCode, boolean stopped, String stderr) {}

    private CommandRun(Process process, boolean leadsSession) {
        this.process = process;
        this.leadsSession = leadsSession;
    }

    static CommandRun start(List<String> command, Path directory, Map<String, String> environment)
            throws EngineException {
        boolean inSession = UnixSession.isSupported();
        var builder =
                new ProcessBuilder(inSession ? UnixSession.leading(command) : command)
                        .directory(directory.toFile());
        builder.environment().clear();
        builder.environment().putAll(environment);
        try {
            return new CommandRun(builder.start(), inSession);
        } catch (IOException e) {
            throw new EngineException("Cannot start " + command.getFirst() + ": " + e.getMessage());
        }
    }

    /** Writes the prompt and closes stdin, in another thread: the program may not read it. */
    void write(String prompt) {
        Thread.ofVirtual()
                .name("command-stdin")
                .start(
                        () -> {
                            try (var stdin = process.getOutputStream()) {
                                stdin.write(prompt.getBytes(StandardCharsets.UTF_8));
                            } catch (IOException e) {
                                // It has exited, or does not need the prompt.
                            }
                        });
    }

    /** Sends the output and waits for the exit of the program and its children. */
    Outcome await(CommandMessages messages) {
        var name = "command-" + process.pid();
        var readers = Thread.ofPlatform().daemon();
        var output = readers.name(name + "-stdout").start(() -> read(messages));
        var errors =
                readers.name(name + "-stderr").start(() -> stderr.follow(process.getErrorStream()));
        try {
            process.waitFor();
            kill();
            join(output, messages);
            errors.join(DRAIN_TIMEOUT);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            kill();
        }
        int status = process.isAlive() ? KILLED : process.exitValue();
        return new Outcome(status, stopping, stderr.excerpt());
    }

    /** The server may read slowly, so this waits as long as there is progress. */
    private void join(Thread output, CommandMessages messages) throws InterruptedException {
        long before;
        do {
            before = messages.count();
        } while (!output.join(DRAIN_TIMEOUT)
                && (messages.isSending() || messages.count() > before));
        drained = true;
    }

    private void read(CommandMessages messages) {
        var buffer = new char[8 * 1024];
        try (var reader = new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8)) {
            for (int count = reader.read(buffer);
                    count >= 0 && !drained;
                    count = reader.read(buffer)) {
                messages.add(new String(buffer, 0, count));
            }
        } catch (IOException e) {
            // The program has exited.
        }
    }

    /** Requests the program to stop; kills it if it does not. Does not block. */
    void stop() {
        if (stopping) {
            return;
        }
        stopping = true;
        process.destroy();
        Thread.ofVirtual()
                .start(
                        () -> {
                            try {
                                if (!process.waitFor(STOP_TIMEOUT)) {
                                    kill();
                                }
                            } catch (InterruptedException e) {
                                Thread.currentThread().interrupt();
                            }
                        });
    }

    void kill() {
        ProcessTree.kill(process.toHandle());
        if (leadsSession) {
            UnixSession.kill(process.pid());
        }
    }
}
