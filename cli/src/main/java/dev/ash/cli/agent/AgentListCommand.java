package dev.ash.cli.agent;

import dev.ash.cli.command.AshCommand;
import dev.ash.cli.command.Host;
import dev.ash.cli.terminal.Table;
import dev.ash.protocol.rest.AgentApi;
import picocli.CommandLine.Command;

/** Implements {@code ash agent list}. */
@Command(name = "list", description = "List the deployed agents.")
final class AgentListCommand extends AshCommand {
    AgentListCommand(Host host) {
        super(host);
    }

    @Override
    public Integer call() {
        var agents = client().agents().list();
        if (agents.isEmpty()) {
            return printList(
                    new AgentApi.Agents(agents),
                    "",
                    "No agents yet. Deploy one: ash deploy examples/hello-agent");
        }
        var table = new Table().row("NAME", "VERSION", "UPDATED");
        agents.forEach(agent -> table.row(agent.name(), agent.version(), agent.updatedAt()));
        return print(new AgentApi.Agents(agents), table.toString());
    }
}
