package dev.ash.cli.approval;

import dev.ash.cli.command.Subcommands;

/** Creates the commands for approvals. */
public final class ApprovalCommands {
    private ApprovalCommands() {}

    public static Subcommands group() {
        return new Subcommands("List and answer approvals.")
                .add("list", ApprovalListCommand::new)
                .add("show", ApprovalShowCommand::new)
                .add("approve", ApprovalApproveCommand::new)
                .add("reject", ApprovalRejectCommand::new);
    }
}
