package dev.ash.cli.server;

import dev.ash.cli.command.ExitCode;
import dev.ash.cli.command.Host;
import dev.ash.cli.terminal.Table;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.rest.HealthResponse;
import dev.ash.sdk.AshException;
import dev.ash.sdk.Json;
import java.time.Duration;
import java.util.Optional;
import picocli.CommandLine.Command;

/** Implements {@code ash status}. */
@Command(
        name = "status",
        description = "Show whether a server is running on this machine.",
        footer = "Exits with 3 if no server is running.")
final class StatusCommand extends LocalServerCommand {
    StatusCommand(Host host) {
        super(host);
    }

    @Override
    public Integer call() {
        var data = data();
        var running = RunningServer.find(data);
        if (running.isEmpty()) {
            print(
                    JsonWriter.object()
                            .put("running", false)
                            .put("dataDir", data.path().toString())
                            .end(),
                    "No server is running with the data directory %s. Start one: ash start"
                            .formatted(data.path()));
            return ExitCode.UNREACHABLE;
        }
        var server = running.get();
        var health = health(server);
        var document =
                JsonWriter.object()
                        .put("running", true)
                        .put("pid", server.pid())
                        .put("url", server.url())
                        .put("fingerprint", server.fingerprint().orElse(null))
                        .put("dataDir", data.path().toString())
                        .put("log", data.log().toString())
                        .put("health", health.map(Json::write).orElse(null))
                        .end();
        var process = new Table().row("pid", server.pid()).row("data", data.path());
        print(
                document,
                process
                        + "\n"
                        + health.map(found -> HealthCommand.describe(server.url(), found))
                                .orElse("The process is running but does not respond."));
        return health.isPresent() ? ExitCode.OK : ExitCode.UNREACHABLE;
    }

    private static Optional<HealthResponse> health(RunningServer server) {
        try {
            return Optional.of(
                    server.client(Duration.ofSeconds(5), Duration.ofMinutes(1)).health());
        } catch (AshException e) {
            return Optional.empty();
        }
    }
}
