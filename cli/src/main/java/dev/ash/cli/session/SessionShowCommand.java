package dev.ash.cli.session;

import dev.ash.cli.command.Host;
import dev.ash.protocol.rest.SessionApi;
import picocli.CommandLine.Command;

/** Implements {@code ash session show}. */
@Command(name = "show", description = "Show a session.")
final class SessionShowCommand extends SessionCommand {
    SessionShowCommand(Host host) {
        super(host);
    }

    @Override
    Integer run() {
        var session = sessions().get(id);
        return print(new SessionApi.SessionResponse(session), describe(session));
    }
}
