package dev.ash.cli.session;

import dev.ash.cli.command.ExitCode;
import dev.ash.cli.command.Host;
import dev.ash.protocol.rest.SessionApi;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
        name = "fork",
        description = "Copy a session, with its files and its conversation.",
        footer = "The ids of turns are in: ash session messages SESSION --json")
final class SessionForkCommand extends SessionCommand {
    @Option(
            names = "--turn",
            paramLabel = "TURN",
            description = "The last turn that the copy remembers; by default all.")
    @Nullable String turn;

    SessionForkCommand(Host host) {
        super(host);
    }

    @Override
    Integer run() {
        var session = sessions().fork(id, turn);
        print(new SessionApi.SessionResponse(session), session.id());
        note("Talk to it: ash chat -s " + session.id());
        return ExitCode.OK;
    }
}
