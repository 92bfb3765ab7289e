package dev.ash.cli.secret;

import dev.ash.cli.command.Subcommands;

/** Creates the commands for the server's secrets. */
public final class SecretCommands {
    private SecretCommands() {}

    public static Subcommands group() {
        return new Subcommands("Rotate the server's sealing key, hook token and certificates.")
                .add("status", SecretStatusCommand::new)
                .add("rotate", SecretRotateCommand::new)
                .add("revoke-previous", SecretRevokeCommand::new);
    }
}
