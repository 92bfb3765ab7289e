package dev.ash.cli.session;

import dev.ash.cli.command.AshCommand;
import dev.ash.cli.command.EnvironmentOption;
import dev.ash.cli.command.ExitCode;
import dev.ash.cli.command.Host;
import dev.ash.protocol.rest.SessionApi;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Implements {@code ash session create}. */
@Command(name = "create", description = "Create a session of a deployed agent and print its id.")
final class SessionCreateCommand extends AshCommand {
    @Parameters(paramLabel = "AGENT", description = "The agent's name.")
    String agent = "";

    @Option(
            names = {"-e", "--env"},
            paramLabel = "NAME=VALUE",
            description = "Environment variable of the session; repeatable.")
    List<String> env = new ArrayList<>();

    @Option(names = "--model", paramLabel = "MODEL", description = "Name of the model.")
    @Nullable String model;

    @Option(
            names = "--engine",
            paramLabel = "ENGINE",
            description = "Engine: a name from `ash engines list`, or auto.")
    @Nullable String engine;

    @Mixin PermissionModeOption permissions = new PermissionModeOption();

    @Mixin EgressOptions egress = new EgressOptions();

    @Mixin LimitOptions limits = new LimitOptions();

    @Option(
            names = "--max-budget-usd",
            paramLabel = "USD",
            description = "Maximum total cost of model calls in USD.")
    @Nullable Double budget;

    @Option(
            names = "--directory",
            paramLabel = "DIRECTORY",
            description =
                    "Directory on the server's host to work in, instead of a separate workspace.")
    @Nullable String directory;

    SessionCreateCommand(Host host) {
        super(host);
    }

    /** Resolves the directory locally; the server rejects it if it does not exist there. */
    private @Nullable String directory() {
        return directory == null
                ? null
                : host.resolve(directory).toAbsolutePath().normalize().toString();
    }

    @Override
    public Integer call() {
        var variables = EnvironmentOption.parse(env);
        var request =
                SessionApi.CreateSession.builder(agent)
                        .extraEnv(variables.isEmpty() ? null : variables)
                        .engine(engine)
                        .model(model)
                        .permissionMode(permissions.mode())
                        .credentialId(egress.credential())
                        .network(egress.network())
                        .limits(limits.limits())
                        .maxBudgetUsd(budget)
                        .workingDirectory(directory())
                        .build();
        var session = NewSession.create(client(), request);
        print(new SessionApi.SessionResponse(session), session.id());
        note("Send a prompt: ash session send " + session.id() + " \"hello\"");
        return ExitCode.OK;
    }
}
