package dev.ash.cli.approval;

import dev.ash.cli.command.AshCommand;
import dev.ash.cli.command.Host;
import dev.ash.cli.command.SessionIds;
import dev.ash.cli.terminal.Printable;
import dev.ash.cli.terminal.Table;
import dev.ash.protocol.rest.ApprovalApi;
import dev.ash.sdk.ApprovalFilter;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Implements {@code ash approvals list}. */
@Command(name = "list", description = "List pending approvals.")
final class ApprovalListCommand extends AshCommand {
    @Option(names = "--all", description = "Include answered approvals.")
    boolean all;

    @Option(
            names = "--session",
            paramLabel = "SESSION",
            description = "Only approvals of this session.")
    @Nullable String session;

    @Option(names = "--limit", paramLabel = "N", description = "Maximum number of approvals.")
    @Nullable Integer limit;

    ApprovalListCommand(Host host) {
        super(host);
    }

    @Override
    public Integer call() {
        var sessionId = session == null ? null : SessionIds.resolve(client(), session);
        var approvals =
                client().approvals()
                        .list(new ApprovalFilter(all ? null : "pending", sessionId, limit, null));
        if (approvals.isEmpty()) {
            return printList(
                    new ApprovalApi.Approvals(approvals),
                    "",
                    all ? "No approvals." : "No pending approvals.");
        }
        var table = new Table().row("ID", "SESSION", "STATUS", "ASKED", "WHAT");
        for (var approval : approvals) {
            table.row(
                    ApprovalText.shortId(approval),
                    approval.sessionId(),
                    approval.status(),
                    approval.createdAt(),
                    Printable.abbreviate(ApprovalText.summary(approval), 60));
        }
        return print(new ApprovalApi.Approvals(approvals), table.toString());
    }
}
