package dev.ash.cli.session;

import dev.ash.cli.command.ExitCode;
import dev.ash.cli.command.Host;
import dev.ash.protocol.rest.SessionApi;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Implements {@code ash session fork}. */
@Command(
        name = "fork",
        description = "Copy a session with its files and conversation, and print the new id.",
        footer = "For ids of turns, see: ash session messages SESSION --json")
final class SessionForkCommand extends SessionCommand {
    @Option(
            names = "--turn",
            paramLabel = "TURN",
            description = "Last turn to copy. Default: all turns.")
    @Nullable String turn;

    SessionForkCommand(Host host) {
        super(host);
    }

    @Override
    Integer run() {
        var session = sessions().fork(id, turn);
        print(new SessionApi.SessionResponse(session), session.id());
        note("Continue with: ash chat -s " + session.id());
        return ExitCode.OK;
    }
}
