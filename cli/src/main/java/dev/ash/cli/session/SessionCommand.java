package dev.ash.cli.session;

import dev.ash.cli.command.AshCommand;
import dev.ash.cli.command.Host;
import dev.ash.cli.command.SessionIds;
import dev.ash.cli.terminal.Table;
import dev.ash.protocol.rest.Session;
import dev.ash.sdk.SessionsClient;
import picocli.CommandLine.Parameters;

/** Base class of subcommands for one session. */
abstract class SessionCommand extends AshCommand {
    @Parameters(
            index = "0",
            paramLabel = "SESSION",
            description = "The session's id, or its first characters (at least 4).")
    String id = "";

    SessionCommand(Host host) {
        super(host);
    }

    /** Runs the command; {@code id} is the complete session id. */
    abstract Integer run();

    @Override
    public final Integer call() {
        id = SessionIds.resolve(client(), id);
        return run();
    }

    final SessionsClient sessions() {
        return client().sessions();
    }

    static String describe(Session session) {
        var table = new Table();
        table.row("id", session.id());
        table.row("agent", session.agentName() + " (version " + session.agentVersion() + ")");
        table.row("status", session.status());
        if (session.pausedBy() != null) {
            table.row("paused by", session.pausedBy());
        }
        if (session.error() != null) {
            table.row("error", session.error());
        }
        if (session.engine() != null) {
            table.row("engine", session.engine());
        }
        if (session.model() != null) {
            table.row("model", session.model());
        }
        table.row("permissions", session.permissionMode());
        if (session.isolation() != null) {
            var missing = session.isolation().missing();
            table.row(
                    "isolation",
                    session.isolation().kind() + (missing == null ? "" : " (" + missing + ")"));
        }
        table.row("sandbox", session.sandboxId());
        table.row("created", session.createdAt());
        table.row("last active", session.lastActiveAt());
        return table.toString();
    }
}
