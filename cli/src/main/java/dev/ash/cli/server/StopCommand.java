package dev.ash.cli.server;

import dev.ash.cli.command.CommandException;
import dev.ash.cli.command.ExitCode;
import dev.ash.cli.command.Host;
import dev.ash.cli.terminal.Progress;
import dev.ash.protocol.json.JsonWriter;
import java.time.Duration;
import picocli.CommandLine.Command;

/** Implements {@code ash stop}. */
@Command(name = "stop", description = "Stop the server and all sandboxes.")
final class StopCommand extends LocalServerCommand {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    StopCommand(Host host) {
        super(host);
    }

    @Override
    public Integer call() {
        var data = data();
        var running = RunningServer.find(data);
        if (running.isEmpty()) {
            return print(
                    JsonWriter.object().put("stopped", false).end(),
                    "No server is running with the data directory %s.".formatted(data.path()));
        }
        var server = running.get();
        var signaled = ProcessHandle.of(server.pid()).map(ProcessHandle::destroy).orElse(true);
        if (!signaled && server.isAlive()) {
            throw new CommandException(
                    "No permission to stop process %d. Stop it as the user that started it."
                            .formatted(server.pid()));
        }
        await(server);
        return print(
                JsonWriter.object().put("stopped", true).put("pid", server.pid()).end(),
                "Stopped.");
    }

    private void await(RunningServer server) {
        var deadline = System.nanoTime() + TIMEOUT.toNanos();
        try (var progress = new Progress(host, "Stopping the server")) {
            while (server.isAlive()) {
                if (System.nanoTime() > deadline) {
                    throw new CommandException(
                            "Process %d did not exit within %d s. Kill it with: kill -9 %d"
                                    .formatted(server.pid(), TIMEOUT.toSeconds(), server.pid()));
                }
                progress.tick();
                Thread.sleep(20);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandException(ExitCode.INTERRUPTED, "interrupted");
        }
    }
}
