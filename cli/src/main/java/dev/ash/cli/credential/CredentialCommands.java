package dev.ash.cli.credential;

import dev.ash.cli.command.Subcommands;

/** Creates the commands for credentials. */
public final class CredentialCommands {
    private CredentialCommands() {}

    public static Subcommands group() {
        return new Subcommands("Manage stored keys of model providers.")
                .add("add", CredentialAddCommand::new)
                .add("list", CredentialListCommand::new)
                .add("delete", CredentialDeleteCommand::new);
    }
}
