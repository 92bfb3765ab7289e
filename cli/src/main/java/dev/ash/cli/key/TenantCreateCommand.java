package dev.ash.cli.key;

import dev.ash.cli.command.AshCommand;
import dev.ash.cli.command.Host;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Implements {@code ash tenants create}. */
@Command(
        name = "create",
        description = "Create a tenant and print its first API key; it cannot be displayed later.",
        footer = "The key has all scopes. Requires an admin key of the tenant default.")
final class TenantCreateCommand extends AshCommand {
    @Parameters(
            paramLabel = "NAME",
            description = "Name of 1 to 64 letters, digits, _ and -; cannot be changed later.")
    String name = "";

    TenantCreateCommand(Host host) {
        super(host);
    }

    @Override
    public Integer call() {
        var created = client().apiKeys().createTenant(name);
        note("The key cannot be displayed later.");
        return print(created, created.apiKey().key());
    }
}
