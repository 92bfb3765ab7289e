package dev.ash.cli.key;

import dev.ash.cli.command.Subcommands;

/** Creates the commands for API keys and tenants. */
public final class KeyCommands {
    private KeyCommands() {}

    public static Subcommands keys() {
        return new Subcommands("Create, list and revoke API keys.")
                .add("list", KeyListCommand::new)
                .add("create", KeyCreateCommand::new)
                .add("revoke", KeyRevokeCommand::new);
    }

    public static Subcommands tenants() {
        return new Subcommands("Create and list tenants.")
                .add("list", TenantListCommand::new)
                .add("create", TenantCreateCommand::new);
    }
}
