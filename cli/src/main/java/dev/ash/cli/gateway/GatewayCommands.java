package dev.ash.cli.gateway;

import dev.ash.cli.command.Subcommands;

/** The commands about the gateway. */
public final class GatewayCommands {
    private GatewayCommands() {}

    public static Subcommands group() {
        return new Subcommands(
                        "Choose who can reach the gateway, where phones and browsers connect.")
                .add("status", GatewayStatusCommand::new)
                .add("expose", GatewayExposeCommand::new)
                .add("hide", GatewayHideCommand::new);
    }
}
