package dev.ash.cli.key;

import dev.ash.cli.command.AshCommand;
import dev.ash.cli.command.Host;
import dev.ash.cli.terminal.Table;
import dev.ash.protocol.rest.ApiKeyApi;
import picocli.CommandLine.Command;

/** Implements {@code ash tenants list}. */
@Command(name = "list", description = "List tenants; requires an admin key of the tenant default.")
final class TenantListCommand extends AshCommand {
    TenantListCommand(Host host) {
        super(host);
    }

    @Override
    public Integer call() {
        var tenants = client().apiKeys().tenants();
        var table = new Table().row("TENANT", "KEYS", "CREATED");
        for (var tenant : tenants) {
            table.row(tenant.id(), Long.toString(tenant.apiKeys()), tenant.createdAt());
        }
        return print(new ApiKeyApi.Tenants(tenants), table.toString());
    }
}
