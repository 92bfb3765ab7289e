package dev.ash.cli.approval;

import dev.ash.cli.command.Subcommands;

/** The commands about approvals. */
public final class ApprovalCommands {
    private ApprovalCommands() {}

    public static Subcommands group() {
        return new Subcommands("Answer agents that ask before they go on.")
                .add("list", ApprovalListCommand::new)
                .add("show", ApprovalShowCommand::new)
                .add("approve", ApprovalApproveCommand::new)
                .add("reject", ApprovalRejectCommand::new);
    }
}
