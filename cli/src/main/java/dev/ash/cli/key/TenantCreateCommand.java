package dev.ash.cli.key;

import dev.ash.cli.command.AshCommand;
import dev.ash.cli.command.Host;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(
        name = "create",
        description = "Create a tenant and print its first API key, once.",
        footer = "The key has all scopes. This needs an admin key of the tenant default.")
final class TenantCreateCommand extends AshCommand {
    @Parameters(
            paramLabel = "NAME",
            description = "1 to 64 letters, digits, _ and -; it cannot be changed.")
    String name = "";

    TenantCreateCommand(Host host) {
        super(host);
    }

    @Override
    public Integer call() {
        var created = client().apiKeys().createTenant(name);
        note("The key of the tenant is not shown again.");
        return print(created, created.apiKey().key());
    }
}
