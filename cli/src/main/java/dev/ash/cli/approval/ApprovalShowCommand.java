package dev.ash.cli.approval;

import dev.ash.cli.command.Host;
import dev.ash.protocol.rest.ApprovalApi;
import picocli.CommandLine.Command;

@Command(name = "show", description = "Show an approval with the whole input of its tool.")
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
