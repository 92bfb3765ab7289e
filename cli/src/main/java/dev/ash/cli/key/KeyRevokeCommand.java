package dev.ash.cli.key;

import dev.ash.cli.command.AshCommand;
import dev.ash.cli.command.Host;
import dev.ash.protocol.rest.AgentApi;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Implements {@code ash keys revoke}. */
@Command(
        name = "revoke",
        description = "Revoke an API key; requests with it fail and its open streams end.",
        footer = "The last key of a tenant with the scope admin cannot be revoked.")
final class KeyRevokeCommand extends AshCommand {
    @Parameters(paramLabel = "ID", description = "The key's id, as `ash keys list` shows it.")
    String id = "";

    KeyRevokeCommand(Host host) {
        super(host);
    }

    @Override
    public Integer call() {
        client().apiKeys().revoke(id);
        return print(new AgentApi.Ok(true), "Revoked " + id);
    }
}
