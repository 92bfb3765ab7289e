package dev.ash.cli.session;

import dev.ash.cli.command.Host;
import dev.ash.protocol.rest.Session;
import dev.ash.protocol.rest.SessionApi;
import dev.ash.sdk.SessionsClient;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The subcommands that move a session from one state to another. */
abstract class SessionStateCommand extends SessionCommand {
    SessionStateCommand(Host host) {
        super(host);
    }

    abstract Session move(SessionsClient sessions);

    /** What the session is after it. */
    String outcome(Session session) {
        return session.status();
    }

    @Override
    final Integer run() {
        var session = move(sessions());
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
        Session move(SessionsClient sessions) {
            return sessions.pause(id);
        }
    }

    @Command(name = "stop", description = "Stop a session's sandbox; its files stay.")
    static final class Stop extends SessionStateCommand {
        Stop(Host host) {
            super(host);
        }

        @Override
        Session move(SessionsClient sessions) {
            return sessions.stop(id);
        }
    }

    @Command(name = "resume", description = "Make a paused, stopped or failed session active.")
    static final class Resume extends SessionStateCommand {
        Resume(Host host) {
            super(host);
        }

        @Override
        Session move(SessionsClient sessions) {
            return sessions.resume(id);
        }
    }

    @Command(name = "end", description = "End a session for good.")
    static final class End extends SessionStateCommand {
        @Option(
                names = "--purge",
                description = "Remove its log too, also if it ended before. It cannot be undone.")
        private boolean purge;

        End(Host host) {
            super(host);
        }

        @Override
        Session move(SessionsClient sessions) {
            return purge ? sessions.purge(id) : sessions.end(id);
        }

        @Override
        String outcome(Session session) {
            return purge ? "removed" : super.outcome(session);
        }
    }
}
