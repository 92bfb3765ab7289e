package dev.ash.cli.server;

import dev.ash.cli.command.AshCommand;
import dev.ash.cli.command.Host;
import dev.ash.cli.gateway.GatewayText;
import dev.ash.cli.terminal.Table;
import dev.ash.protocol.rest.HealthResponse;
import picocli.CommandLine.Command;

/** Implements {@code ash health}. */
@Command(name = "health", description = "Show the health of the server.")
final class HealthCommand extends AshCommand {
    HealthCommand(Host host) {
        super(host);
    }

    @Override
    public Integer call() {
        var health = client().health();
        return print(health, describe(connection().url(), health));
    }

    static String describe(String url, HealthResponse health) {
        var table = new Table();
        table.row("status", health.status());
        table.row("server", url);
        table.row("version", health.version());
        table.row("uptime", health.uptime() + " s");
        table.row("sessions", health.activeSessions() + " active");
        if (health.pool() != null) {
            table.row("sandboxes", health.activeSandboxes() + " of " + health.pool().maxCapacity());
        }
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
                    health.isolation().kind() + (missing == null ? "" : " (" + missing + ")"));
            if (health.isolation().disk() != null) {
                table.row("disk limits", health.isolation().disk());
            }
        }
        return table.toString();
    }
}
