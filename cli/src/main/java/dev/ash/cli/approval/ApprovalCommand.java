package dev.ash.cli.approval;

import dev.ash.cli.command.AshCommand;
import dev.ash.cli.command.CommandException;
import dev.ash.cli.command.ExitCode;
import dev.ash.cli.command.Host;
import dev.ash.cli.terminal.Printable;
import dev.ash.protocol.rest.Approval;
import dev.ash.protocol.rest.ApprovalApi;
import dev.ash.sdk.ApprovalFilter;
import dev.ash.sdk.ApprovalsClient;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Parameters;

/** Base class of subcommands for one approval, specified by an id or its first characters. */
abstract class ApprovalCommand extends AshCommand {
    private static final int MIN_PREFIX_LENGTH = 4;
    private static final int ID_LENGTH = 36;
    private static final int PAGE_SIZE = 1000;
    private static final int MAX_PAGES = 50;

    @Parameters(
            index = "0",
            paramLabel = "ID",
            description = "The approval's id, or its first characters (at least 4).")
    String id = "";

    ApprovalCommand(Host host) {
        super(host);
    }

    final ApprovalsClient approvals() {
        return client().approvals();
    }

    /** Finds the approval, preferring pending ones. */
    final Approval find() {
        if (id.length() >= ID_LENGTH) {
            return approvals().get(id);
        }
        if (id.length() < MIN_PREFIX_LENGTH) {
            throw new CommandException(
                    ExitCode.USAGE,
                    "Approval id \"%s\" is too short. Specify at least the first %d characters; `ash approvals list` shows the ids."
                            .formatted(id, MIN_PREFIX_LENGTH));
        }
        var found = matching("pending");
        if (found.isEmpty()) {
            found = matching(null);
        }
        return switch (found.size()) {
            case 0 ->
                    throw new CommandException(
                            ExitCode.NOT_FOUND,
                            "No approval id starts with \"%s\". `ash approvals list --all` lists all approvals."
                                    .formatted(id));
            case 1 -> found.getFirst();
            default ->
                    throw new CommandException(
                            ExitCode.USAGE,
                            "Approval id \"%s\" is ambiguous: it matches %d approvals. Specify more characters: %s"
                                    .formatted(id, found.size(), examples(found)));
        };
    }

    final int show(Approval approval) {
        return print(
                new ApprovalApi.ApprovalResponse(approval),
                "%s: %s"
                        .formatted(
                                Printable.line(approval.tool()), ApprovalText.outcome(approval)));
    }

    private List<Approval> matching(@Nullable String status) {
        var found = new ArrayList<Approval>();
        String after = null;
        for (int page = 0; page < MAX_PAGES; page++) {
            var approvals = approvals().list(new ApprovalFilter(status, null, PAGE_SIZE, after));
            approvals.stream().filter(each -> each.id().startsWith(id)).forEach(found::add);
            if (approvals.size() < PAGE_SIZE) {
                break;
            }
            after = approvals.getLast().id();
        }
        return found;
    }

    private static String examples(List<Approval> found) {
        return found.stream().limit(5).map(Approval::id).collect(Collectors.joining(", "))
                + (found.size() > 5 ? ", …" : "");
    }
}
