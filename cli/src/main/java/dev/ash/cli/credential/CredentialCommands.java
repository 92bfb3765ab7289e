package dev.ash.cli.credential;

import dev.ash.cli.command.Subcommands;

/** The commands about credentials. */
public final class CredentialCommands {
    private CredentialCommands() {}

    public static Subcommands group() {
        return new Subcommands("Store keys of model providers for sessions to use.")
                .add("add", CredentialAddCommand::new)
                .add("list", CredentialListCommand::new)
                .add("delete", CredentialDeleteCommand::new);
    }
}
