package dev.ash.cli.gateway;

import dev.ash.cli.command.AshCommand;
import dev.ash.cli.command.Host;
import dev.ash.protocol.rest.GatewayApi;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "expose",
        description = "Let devices connect at an address of this machine, at once.",
        footer =
                "The address is kept in config.json of the data directory. Devices that are"
                        + " connected stay so where the new address covers the old one.")
final class GatewayExposeCommand extends AshCommand {
    @Parameters(
            paramLabel = "ADDRESS",
            description = "An IP address, as that of a VPN; 0.0.0.0 for all of this machine's.")
    String address = "";

    @Option(names = "--port", paramLabel = "PORT", description = "By default the one it has.")
    @Nullable Integer port;

    GatewayExposeCommand(Host host) {
        super(host);
    }

    @Override
    public Integer call() {
        var gateway = client().gateway().move(address, port);
        return print(
                new GatewayApi.GatewayResponse(gateway),
                GatewayText.table(gateway)
                        + (gateway.reachable() ? "\nNext: ash devices pair" : ""));
    }
}
