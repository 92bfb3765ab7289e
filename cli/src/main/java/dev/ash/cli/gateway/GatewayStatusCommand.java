package dev.ash.cli.gateway;

import dev.ash.cli.command.AshCommand;
import dev.ash.cli.command.Host;
import dev.ash.protocol.rest.GatewayApi;
import picocli.CommandLine.Command;

/** Implements {@code ash gateway status}. */
@Command(
        name = "status",
        description = "Show the address of the gateway and whether other machines can connect.")
final class GatewayStatusCommand extends AshCommand {
    GatewayStatusCommand(Host host) {
        super(host);
    }

    @Override
    public Integer call() {
        var gateway = client().gateway().show();
        return print(new GatewayApi.GatewayResponse(gateway), GatewayText.table(gateway));
    }
}
