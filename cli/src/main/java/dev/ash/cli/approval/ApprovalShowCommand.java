package dev.ash.cli.approval;

import dev.ash.cli.command.Host;
import dev.ash.protocol.rest.ApprovalApi;
import picocli.CommandLine.Command;

/** Implements {@code ash approvals show}. */
@Command(name = "show", description = "Show an approval with the complete input of the tool.")
final class ApprovalShowCommand extends ApprovalCommand {
    ApprovalShowCommand(Host host) {
        super(host);
    }

    @Override
    public Integer call() {
        var approval = find();
        return print(new ApprovalApi.ApprovalResponse(approval), ApprovalText.describe(approval));
    }
}
