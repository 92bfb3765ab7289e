package dev.ash.cli.session;

import dev.ash.cli.command.AshCommand;
import dev.ash.cli.command.Host;
import dev.ash.cli.terminal.Table;
import dev.ash.protocol.rest.Session;
import dev.ash.sdk.SessionFilter;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Implements {@code ash session list}. */
@Command(name = "list", description = "List sessions, newest first.")
final class SessionListCommand extends AshCommand {
    @Option(names = "--agent", paramLabel = "NAME", description = "Only sessions of this agent.")
    @Nullable String agent;

    @Option(
            names = "--status",
            paramLabel = "STATUS",
            description =
                    "Only sessions that are starting, active, paused, stopped, error or ended.")
    @Nullable String status;

    @Option(names = "--limit", paramLabel = "N", description = "Maximum number of sessions.")
    @Nullable Integer limit;

    @Option(names = "--offset", paramLabel = "N", description = "Number of sessions to skip.")
    @Nullable Integer offset;

    SessionListCommand(Host host) {
        super(host);
    }

    /**
     * Shows the cause of a pause: the next message wakes a session paused by Ash, but not one
     * paused by a client.
     */
    private static String status(Session session) {
        return session.pausedBy() == null
                ? session.status()
                : "%s by %s".formatted(session.status(), session.pausedBy());
    }

    @Override
    public Integer call() {
        var page = client().sessions().list(new SessionFilter(agent, status, limit, offset));
        if (page.sessions().isEmpty()) {
            return printList(page, "", "No sessions.");
        }
        var table = new Table().row("ID", "AGENT", "STATUS", "LAST ACTIVE");
        for (var session : page.sessions()) {
            table.row(session.id(), session.agentName(), status(session), session.lastActiveAt());
        }
        var more = page.total() - page.sessions().size();
        return printList(
                page,
                table.toString(),
                more > 0 ? "%d of %d".formatted(page.sessions().size(), page.total()) : "");
    }
}
