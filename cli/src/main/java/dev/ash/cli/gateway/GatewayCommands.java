package dev.ash.cli.gateway;

import dev.ash.cli.command.Subcommands;

/** Creates the commands for the gateway. */
public final class GatewayCommands {
    private GatewayCommands() {}

    public static Subcommands group() {
        return new Subcommands(
                        "Show and change the address of the gateway, to which devices connect.")
                .add("status", GatewayStatusCommand::new)
                .add("expose", GatewayExposeCommand::new)
                .add("hide", GatewayHideCommand::new);
    }
}
