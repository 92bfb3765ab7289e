package dev.ash.cli.agent;

import dev.ash.cli.command.AshCommand;
import dev.ash.cli.command.EnvironmentOption;
import dev.ash.cli.command.ExitCode;
import dev.ash.cli.command.Host;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "deploy",
        description = "Upload a folder with a CLAUDE.md as an agent.",
        footer = "Variables in .env and .env.local become the agent's environment; -e wins.")
final class DeployCommand extends AshCommand {
    @Parameters(paramLabel = "FOLDER", description = "The agent's folder.")
    String folder = "";

    @Option(
            names = {"-n", "--name"},
            paramLabel = "NAME",
            description = "The agent's name; by default the folder's.")
    String name = "";

    @Option(
            names = {"-e", "--env"},
            paramLabel = "NAME=VALUE",
            description = "A variable for the agent's processes.")
    List<String> env = new ArrayList<>();

    DeployCommand(Host host) {
        super(host);
    }

    @Override
    public Integer call() {
        var deployment = Deployment.of(host, folder, name, EnvironmentOption.parsed(env));
        var agent = deployment.send(client());
        printAlso("agent", agent, Deployment.describe(agent));
        note("Talk to it: ash chat " + agent.name());
        return ExitCode.OK;
    }
}
