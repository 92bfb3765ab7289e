package dev.ash.cli.approval;

import dev.ash.cli.command.Host;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
        name = "reject",
        description = "Do not let a tool run; the agent goes on without.",
        footer = "The first answer counts; a later one ends with exit code 6.")
final class ApprovalRejectCommand extends ApprovalCommand {
    @Option(
            names = {"-m", "--message"},
            paramLabel = "WHY",
            description = "What the agent is told.")
    @Nullable String message;

    ApprovalRejectCommand(Host host) {
        super(host);
    }

    @Override
    public Integer call() {
        return show(approvals().reject(find().id(), message));
    }
}
