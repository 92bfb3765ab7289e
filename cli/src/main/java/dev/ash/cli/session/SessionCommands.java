package dev.ash.cli.session;

import dev.ash.cli.command.AshCommand;
import dev.ash.cli.command.Host;
import dev.ash.cli.command.Subcommands;

/** Creates the commands for sessions. */
public final class SessionCommands {
    private SessionCommands() {}

    public static AshCommand chat(Host host) {
        return new ChatCommand(host);
    }

    public static Subcommands group() {
        return new Subcommands("Manage sessions.")
                .add("create", SessionCreateCommand::new)
                .add("send", SessionSendCommand::new)
                .add("list", SessionListCommand::new)
                .add("show", SessionShowCommand::new)
                .add("pause", SessionStateCommand.Pause::new)
                .add("stop", SessionStateCommand.Stop::new)
                .add("resume", SessionStateCommand.Resume::new)
                .add("end", SessionStateCommand.End::new)
                .add("interrupt", SessionInterruptCommand::new)
                .add("exec", SessionExecCommand::new)
                .add("files", SessionFilesCommand::new)
                .add("workspace", SessionWorkspaceCommand::new)
                .add("messages", SessionMessagesCommand::new)
                .add("events", SessionEventsCommand::new)
                .add("logs", SessionLogsCommand::new)
                .add("watch", SessionWatchCommand::new)
                .add("fork", SessionForkCommand::new);
    }
}
