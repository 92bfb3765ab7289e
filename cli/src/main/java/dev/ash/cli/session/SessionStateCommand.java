package dev.ash.cli.session;

import dev.ash.cli.command.Host;
import dev.ash.protocol.rest.Session;
import dev.ash.protocol.rest.SessionApi;
import dev.ash.sdk.SessionsClient;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The subcommands that change the state of a session. */
abstract class SessionStateCommand extends SessionCommand {
    SessionStateCommand(Host host) {
        super(host);
    }

    abstract Session apply(SessionsClient sessions);

    /** Returns the resulting state. */
    String outcome(Session session) {
        return session.status();
    }

    @Override
    final Integer run() {
        var session = apply(sessions());
        return print(
                new SessionApi.SessionResponse(session),
                "Session " + session.id() + " is " + outcome(session));
    }

    @Command(name = "pause", description = "Pause an active session.")
    static final class Pause extends SessionStateCommand {
        Pause(Host host) {
            super(host);
        }

        @Override
        Session apply(SessionsClient sessions) {
            return sessions.pause(id);
        }
    }

    @Command(name = "stop", description = "Stop a session's sandbox and keep its files.")
    static final class Stop extends SessionStateCommand {
        Stop(Host host) {
            super(host);
        }

        @Override
        Session apply(SessionsClient sessions) {
            return sessions.stop(id);
        }
    }

    @Command(name = "resume", description = "Resume a paused, stopped or failed session.")
    static final class Resume extends SessionStateCommand {
        Resume(Host host) {
            super(host);
        }

        @Override
        Session apply(SessionsClient sessions) {
            return sessions.resume(id);
        }
    }

    @Command(name = "end", description = "End a session permanently.")
    static final class End extends SessionStateCommand {
        @Option(
                names = "--purge",
                description =
                        "Also remove its log, even if it has already ended. Cannot be undone.")
        private boolean purge;

        End(Host host) {
            super(host);
        }

        @Override
        Session apply(SessionsClient sessions) {
            return purge ? sessions.purge(id) : sessions.end(id);
        }

        @Override
        String outcome(Session session) {
            return purge ? "removed" : super.outcome(session);
        }
    }
}
