package dev.ash.cli.mailbox;

import dev.ash.cli.command.Subcommands;

/** Creates the commands for mailboxes. */
public final class MailboxCommands {
    private MailboxCommands() {}

    public static Subcommands group() {
        return new Subcommands("List the mailboxes of pairs on this machine.")
                .add("list", MailboxListCommand::new);
    }
}
