package dev.ash.cli.credential;

import dev.ash.cli.command.AshCommand;
import dev.ash.cli.command.Host;
import dev.ash.protocol.rest.AgentApi;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Implements {@code ash credentials delete}. */
@Command(
        name = "delete",
        description = "Delete a stored key; sessions that use it can no longer call the model.")
final class CredentialDeleteCommand extends AshCommand {
    @Parameters(paramLabel = "ID", description = "The credential's id.")
    String id = "";

    CredentialDeleteCommand(Host host) {
        super(host);
    }

    @Override
    public Integer call() {
        client().credentials().delete(id);
        return print(new AgentApi.Ok(true), "Deleted " + id);
    }
}
