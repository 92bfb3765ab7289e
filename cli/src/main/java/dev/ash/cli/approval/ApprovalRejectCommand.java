package dev.ash.cli.approval;

import dev.ash.cli.command.Host;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Implements {@code ash approvals reject}. */
@Command(
        name = "reject",
        description = "Reject a tool call or a plan; the agent continues without it.",
        footer = "The first answer counts; a later one exits with code 6.")
final class ApprovalRejectCommand extends ApprovalCommand {
    @Option(
            names = {"-m", "--message"},
            paramLabel = "TEXT",
            description = "Reason given to the agent.")
    @Nullable String message;

    ApprovalRejectCommand(Host host) {
        super(host);
    }

    @Override
    public Integer call() {
        return show(approvals().reject(find().id(), message));
    }
}
