package dev.ash.cli.engine;

import dev.ash.cli.command.AshCommand;
import dev.ash.cli.command.ExitCode;
import dev.ash.cli.command.Host;
import dev.ash.cli.terminal.Table;
import dev.ash.protocol.rest.EngineApi;
import java.util.Objects;
import picocli.CommandLine.Command;

/** Implements {@code ash engines list}. */
@Command(
        name = "list",
        description = "List the engines of the server, and which of them can run.",
        footer = "`ash engines doctor` checks this machine without a server.")
final class EngineListCommand extends AshCommand {
    EngineListCommand(Host host) {
        super(host);
    }

    @Override
    public Integer call() {
        var result = client().engines().list();
        var table = new Table().row("NAME", "PRODUCT", "PROVIDER", "VERSION", "STATE");
        for (var engine : result.engines()) {
            table.row(
                    engine.name(),
                    engine.product(),
                    engine.provider(),
                    Objects.requireNonNullElse(engine.version(), "-"),
                    state(engine, result.defaultEngine()));
        }
        print(result, table.toString());
        if (result.engines().stream().anyMatch(EngineListCommand::isInstallable)) {
            note("Install one: ash engines install NAME");
        }
        return ExitCode.OK;
    }

    private static String state(EngineApi.Engine engine, String defaultEngine) {
        if (!engine.installed()) {
            return "not installed";
        }
        if (engine.missing() == null) {
            return engine.name().equals(defaultEngine) ? "ready (default)" : "ready";
        }
        return engine.hasCredential() ? "cannot run: " + engine.missing() : "no key on the server";
    }

    private static boolean isInstallable(EngineApi.Engine engine) {
        return !engine.installed()
                && engine.install() != null
                && engine.install().startsWith("ash ");
    }
}
