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

/** Implements {@code ash deploy}. */
@Command(
        name = "deploy",
        description = "Upload a directory with a CLAUDE.md as an agent.",
        footer =
                "Variables in .env and .env.local become the agent's environment; -e overrides them.")
final class DeployCommand extends AshCommand {
    @Parameters(paramLabel = "DIRECTORY", description = "The agent's directory.")
    String directory = "";

    @Option(
            names = {"-n", "--name"},
            paramLabel = "NAME",
            description = "The agent's name; default: the name of the directory.")
    String name = "";

    @Option(
            names = {"-e", "--env"},
            paramLabel = "NAME=VALUE",
            description = "Environment variable of the agent; repeatable.")
    List<String> env = new ArrayList<>();

    DeployCommand(Host host) {
        super(host);
    }

    @Override
    public Integer call() {
        var deployment = Deployment.of(host, directory, name, EnvironmentOption.parse(env));
        var agent = deployment.deploy(client());
        printWithTopLevelMembers("agent", agent, Deployment.describe(agent));
        note("Chat with it: ash chat " + agent.name());
        return ExitCode.OK;
    }
}
