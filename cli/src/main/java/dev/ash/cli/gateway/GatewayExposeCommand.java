package dev.ash.cli.gateway;

import dev.ash.cli.command.AshCommand;
import dev.ash.cli.command.Host;
import dev.ash.protocol.rest.GatewayApi;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Implements {@code ash gateway expose}. */
@Command(
        name = "expose",
        description = "Move the gateway to an address of this machine, without a restart.",
        footer =
                "The address is stored in config.json of the data directory. Connected devices"
                        + " stay connected if the new address includes the old one.")
final class GatewayExposeCommand extends AshCommand {
    @Parameters(
            paramLabel = "ADDRESS",
            description = "IP address of this machine, for example of a VPN; 0.0.0.0 for all.")
    String address = "";

    @Option(
            names = "--port",
            paramLabel = "PORT",
            description = "TCP port. Default: the current one.")
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
