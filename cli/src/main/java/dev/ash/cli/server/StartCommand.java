package dev.ash.cli.server;

import dev.ash.cli.command.AshCommand;
import dev.ash.cli.command.CommandException;
import dev.ash.cli.command.DataDirectory;
import dev.ash.cli.command.EnvironmentOption;
import dev.ash.cli.command.ExitCode;
import dev.ash.cli.command.Host;
import dev.ash.cli.gateway.GatewayText;
import dev.ash.cli.terminal.Table;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.rest.HealthResponse;
import dev.ash.sdk.Json;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Implements {@code ash start}. */
@Command(
        name = "start",
        description = "Start the server in the background and wait until it responds.",
        footer =
                "The URL, the API key and the certificate's fingerprint are stored in"
                        + " ~/.ash/config.json for the other commands.")
final class StartCommand extends AshCommand {
    @Option(
            names = "--port",
            paramLabel = "PORT",
            description = "Port of the API; 0 for any free port. Default: 4100.")
    @Nullable Integer port;

    @Option(
            names = "--host",
            paramLabel = "HOST",
            description = "Address to listen on. Default: loopback only.")
    @Nullable String listenOn;

    @Option(names = "--data-dir", paramLabel = "DIRECTORY", description = "Data directory.")
    @Nullable String dataDir;

    @Option(
            names = {"-e", "--env"},
            paramLabel = "NAME=VALUE",
            description =
                    "Environment variable of the server, in addition to those of this shell; repeatable.")
    List<String> env = new ArrayList<>();

    @Option(names = "--foreground", description = "Run the server in the foreground.")
    boolean foreground;

    StartCommand(Host host) {
        super(host);
    }

    @Override
    public Integer call() {
        var data =
                dataDir == null
                        ? DataDirectory.defaultFor(host)
                        : new DataDirectory(host.resolve(dataDir));
        var start = new ServerStart(host, data, settings());
        var running = RunningServer.find(data);
        if (running.isPresent()) {
            return alreadyRunning(start, data, running.get());
        }
        if (foreground) {
            return start.runInForeground();
        }
        var server = start.startInBackground();
        start.saveToConfig(server);
        return report(data, server, "Ash is running");
    }

    private int alreadyRunning(ServerStart start, DataDirectory data, RunningServer server) {
        if (port != null && port != server.port() && port != 0) {
            throw new CommandException(
                    ExitCode.CONFLICT,
                    "A server with the data directory %s is already running on port %d. Stop it first: ash stop"
                            .formatted(data.path(), server.port()));
        }
        if (foreground) {
            return start.runInForeground(server);
        }
        start.saveToConfig(server);
        return report(data, server, "Ash is already running");
    }

    private Map<String, String> settings() {
        var settings = new HashMap<>(EnvironmentOption.parse(env));
        if (port != null) {
            settings.put("ASH_PORT", port.toString());
        }
        if (listenOn != null) {
            settings.put("ASH_HOST", listenOn);
        }
        return settings;
    }

    private int report(DataDirectory data, RunningServer server, String headline) {
        var client = server.client(Duration.ofSeconds(5), Duration.ofMinutes(1));
        var health = GatewayWait.awaitStarted(client);
        var document =
                JsonWriter.object()
                        .put("running", true)
                        .put("url", server.url())
                        .put("fingerprint", server.fingerprint().orElse(null))
                        .put("pid", server.pid())
                        .put("dataDir", data.path().toString())
                        .put("log", data.log().toString())
                        .put(
                                "gateway",
                                health.gateway() == null ? null : Json.write(health.gateway()))
                        .end();
        if (json) {
            return print(document, "");
        }
        var table = new Table();
        table.row("server", server.url());
        table.row("docs", server.url() + "/docs");
        table.row("data", data.path());
        table.row("log", data.log());
        table.row("pid", server.pid());
        server.fingerprint().ifPresent(sha256 -> table.row("fingerprint", sha256));
        addHealth(health, table);
        return print(document, headline + "\n" + table + "\nNext: ash chat DIRECTORY \"hello\"");
    }

    private static void addHealth(HealthResponse health, Table table) {
        if (health.gateway() != null) {
            table.row("gateway", GatewayText.line(health.gateway()));
        }
        if (health.engine() != null) {
            table.row("engine", health.engine());
        }
        if (health.isolation() != null) {
            var missing = health.isolation().missing();
            table.row(
                    "isolation",
                    health.isolation().kind() + (missing == null ? "" : ": " + missing));
        }
    }
}
