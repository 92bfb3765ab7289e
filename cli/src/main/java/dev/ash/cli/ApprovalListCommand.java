package dev.ash.cli;

import dev.ash.protocol.rest.ApprovalApi;
import dev.ash.sdk.ApprovalFilter;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(name = "list", description = "List the approvals that wait for an answer.")
final class ApprovalListCommand extends AshCommand {
    @Option(names = "--all", description = "Also those that have one.")
    boolean all;

    ApprovalListCommand(Host host) {
        super(host);
    }

    @Override
    public Integer call() {
        var approvals =
                client().approvals().list(all ? ApprovalFilter.ALL : ApprovalFilter.PENDING);
        if (approvals.isEmpty()) {
            return print(
                    new ApprovalApi.Approvals(approvals),
                    all ? "No approvals." : "No approval waits for an answer.");
        }
        var table = new Table().row("ID", "SESSION", "STATUS", "ASKED", "WHAT");
        for (var approval : approvals) {
            table.row(
                    ApprovalText.shortId(approval),
                    approval.sessionId(),
                    approval.status(),
                    approval.createdAt(),
                    Printable.abbreviated(ApprovalText.summary(approval), 60));
        }
        return print(new ApprovalApi.Approvals(approvals), table.toString());
    }
}
