package dev.ash.cli.server;

import dev.ash.cli.command.ExitCode;
import dev.ash.cli.command.Failure;
import dev.ash.cli.command.Host;
import dev.ash.cli.terminal.Progress;
import dev.ash.protocol.json.JsonWriter;
import java.time.Duration;
import picocli.CommandLine.Command;

@Command(name = "stop", description = "Stop the server and every sandbox.")
final class StopCommand extends LocalServerCommand {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

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
                    "No server is running with the data in %s.".formatted(data.path()));
        }
        var server = running.get();
        var signalled = ProcessHandle.of(server.pid()).map(ProcessHandle::destroy).orElse(true);
        if (!signalled && server.isAlive()) {
            throw new Failure(
                    "This user may not stop process %d. Stop it as the user that started it."
                            .formatted(server.pid()));
        }
        await(server);
        return print(
                JsonWriter.object().put("stopped", true).put("pid", server.pid()).end(),
                "Stopped.");
    }

    private void await(RunningServer server) {
        var deadline = System.nanoTime() + PATIENCE.toNanos();
        try (var progress = new Progress(host, "Stopping the server")) {
            while (server.isAlive()) {
                if (System.nanoTime() > deadline) {
                    throw new Failure(
                            "Process %d has not ended within %d s. End it with: kill -9 %d"
                                    .formatted(server.pid(), PATIENCE.toSeconds(), server.pid()));
                }
                progress.tick();
                Thread.sleep(20);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Failure(ExitCode.INTERRUPTED, "interrupted");
        }
    }
}
