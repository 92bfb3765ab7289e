package dev.ash.cli.gateway;

import dev.ash.cli.command.AshCommand;
import dev.ash.cli.command.Host;
import dev.ash.protocol.rest.GatewayApi;
import picocli.CommandLine.Command;

@Command(
        name = "hide",
        description = "Let only this machine connect; connections of others end at once.")
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
