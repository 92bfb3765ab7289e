package dev.ash.cli.agent;

import dev.ash.cli.command.AshCommand;
import dev.ash.cli.command.Host;
import dev.ash.cli.terminal.Table;
import dev.ash.protocol.rest.AgentApi;
import dev.ash.protocol.rest.FileEntry;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Implements {@code ash agent info}. */
@Command(name = "info", description = "Show an agent and its files.")
final class AgentInfoCommand extends AshCommand {
    @Parameters(paramLabel = "NAME", description = "The agent's name.")
    String name = "";

    AgentInfoCommand(Host host) {
        super(host);
    }

    @Override
    public Integer call() {
        var agents = client().agents();
        var agent = agents.get(name);
        if (json) {
            return print(new AgentApi.AgentResponse(agent), "");
        }
        var table = new Table();
        table.row("name", agent.name());
        table.row("version", agent.version());
        table.row("id", agent.id());
        table.row("path", agent.path());
        table.row("created", agent.createdAt());
        table.row("updated", agent.updatedAt());
        if (agent.env() != null && !agent.env().isEmpty()) {
            table.row("env", String.join(", ", agent.env().keySet()));
        }
        if (agent.config() != null) {
            table.row("config", agent.config());
        }
        var files = agents.files(name).stream().map(FileEntry::path).toList();
        table.row("files", String.join(", ", files));
        return print(agent, table.toString());
    }
}
