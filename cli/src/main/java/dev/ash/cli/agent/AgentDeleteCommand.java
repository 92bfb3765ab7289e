package dev.ash.cli.agent;

import dev.ash.cli.command.AshCommand;
import dev.ash.cli.command.Host;
import dev.ash.protocol.rest.AgentApi;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(name = "delete", description = "Delete an agent.")
final class AgentDeleteCommand extends AshCommand {
    @Parameters(paramLabel = "NAME", description = "The agent's name.")
    String name = "";

    AgentDeleteCommand(Host host) {
        super(host);
    }

    @Override
    public Integer call() {
        client().agents().delete(name);
        return print(new AgentApi.Ok(true), "Deleted " + name);
    }
}
