package dev.ash.cli;

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

    SessionCreateCommand(Host host) {
        super(host);
    }

    @Override
    public Integer call() {
        var variables = EnvironmentOption.parsed(env);
        var session =
                client().sessions()
                        .create(
                                new SessionApi.CreateSession(
                                        agent,
                                        variables.isEmpty() ? null : variables,
                                        engine,
                                        model,
                                        null,
                                        permissions.mode,
                                        null,
                                        null,
                                        null,
                                        null,
                                        null,
                                        null));
        return print(
                new SessionApi.SessionAnswer(session),
                session.id() + "\nTalk to it: ash session send " + session.id() + " \"hello\"");
    }
}
