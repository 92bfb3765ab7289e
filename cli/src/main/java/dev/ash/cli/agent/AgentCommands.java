package dev.ash.cli.agent;

import dev.ash.cli.command.AshCommand;
import dev.ash.cli.command.Host;
import dev.ash.cli.command.Subcommands;

/** Creates the commands for agents. */
public final class AgentCommands {
    private AgentCommands() {}

    public static AshCommand deploy(Host host) {
        return new DeployCommand(host);
    }

    public static Subcommands group() {
        return new Subcommands("Manage agents.")
                .add("list", AgentListCommand::new)
                .add("info", AgentInfoCommand::new)
                .add("delete", AgentDeleteCommand::new);
    }
}
