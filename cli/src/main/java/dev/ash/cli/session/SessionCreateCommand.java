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

@Command(name = "create", description = "Open a session of a deployed agent.")
final class SessionCreateCommand extends AshCommand {
    @Parameters(paramLabel = "AGENT", description = "The agent's name.")
    String agent = "";

    @Option(
            names = {"-e", "--env"},
            paramLabel = "NAME=VALUE",
            description = "A variable for this session's processes.")
    List<String> env = new ArrayList<>();

    @Option(names = "--model", paramLabel = "MODEL", description = "The model to use.")
    @Nullable String model;

    @Option(names = "--engine", paramLabel = "ENGINE", description = "claude, demo or auto.")
    @Nullable String engine;

    @Mixin PermissionModeOption permissions = new PermissionModeOption();

    @Mixin ReachOptions reach = new ReachOptions();

    @Mixin LimitOptions limits = new LimitOptions();

    @Option(
            names = "--max-budget-usd",
            paramLabel = "USD",
            description = "What its calls to the model may cost in all.")
    @Nullable Double budget;

    @Option(
            names = "--directory",
            paramLabel = "FOLDER",
            description =
                    "A folder on the server's host to work in, instead of a workspace of its own.")
    @Nullable String directory;

    SessionCreateCommand(Host host) {
        super(host);
    }

    /** Relative to where the command is run; the server, if it is elsewhere, says what is wrong. */
    private @Nullable String directory() {
        return directory == null
                ? null
                : host.resolve(directory).toAbsolutePath().normalize().toString();
    }

    @Override
    public Integer call() {
        var variables = EnvironmentOption.parsed(env);
        var request =
                SessionApi.CreateSession.builder(agent)
                        .extraEnv(variables.isEmpty() ? null : variables)
                        .engine(engine)
                        .model(model)
                        .permissionMode(permissions.mode())
                        .credentialId(reach.credential())
                        .network(reach.network())
                        .limits(limits.limits())
                        .maxBudgetUsd(budget)
                        .workingDirectory(directory())
                        .build();
        var session = NewSession.create(client(), request);
        print(new SessionApi.SessionResponse(session), session.id());
        note("Talk to it: ash session send " + session.id() + " \"hello\"");
        return ExitCode.OK;
    }
}
