package dev.ash.cli.gateway;

import dev.ash.cli.command.AshCommand;
import dev.ash.cli.command.Host;
import dev.ash.protocol.rest.GatewayApi;
import picocli.CommandLine.Command;

/** Implements {@code ash gateway hide}. */
@Command(
        name = "hide",
        description = "Restrict the gateway to this machine; closes other connections immediately.")
final class GatewayHideCommand extends AshCommand {
    GatewayHideCommand(Host host) {
        super(host);
    }

    @Override
    public Integer call() {
        var gateway = client().gateway().move("127.0.0.1", null);
        return print(new GatewayApi.GatewayResponse(gateway), GatewayText.table(gateway));
    }
}
