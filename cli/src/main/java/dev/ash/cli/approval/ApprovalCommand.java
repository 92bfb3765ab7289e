package dev.ash.cli.approval;

import dev.ash.cli.command.AshCommand;
import dev.ash.cli.command.ExitCode;
import dev.ash.cli.command.Failure;
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

/** A subcommand about one approval, which may be named by the beginning of its id. */
abstract class ApprovalCommand extends AshCommand {
    private static final int SHORTEST = 4;
    private static final int WHOLE = 36;
    private static final int PAGE = 1000;
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

    /** One that waits is meant rather than one that is answered. */
    final Approval find() {
        if (id.length() >= WHOLE) {
            return approvals().get(id);
        }
        if (id.length() < SHORTEST) {
            throw new Failure(
                    ExitCode.USAGE,
                    "\"%s\" is too short to name an approval. Give at least %d characters of its id; `ash approvals list` shows them."
                            .formatted(id, SHORTEST));
        }
        var found = matching("pending");
        if (found.isEmpty()) {
            found = matching(null);
        }
        return switch (found.size()) {
            case 0 ->
                    throw new Failure(
                            ExitCode.NOT_FOUND,
                            "There is no approval whose id begins with \"%s\". `ash approvals list --all` shows those there are."
                                    .formatted(id));
            case 1 -> found.getFirst();
            default ->
                    throw new Failure(
                            ExitCode.USAGE,
                            "\"%s\" is the beginning of %d approvals. Give more characters: %s"
                                    .formatted(id, found.size(), some(found)));
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
            var approvals = approvals().list(new ApprovalFilter(status, null, PAGE, after));
            approvals.stream().filter(each -> each.id().startsWith(id)).forEach(found::add);
            if (approvals.size() < PAGE) {
                break;
            }
            after = approvals.getLast().id();
        }
        return found;
    }

    private static String some(List<Approval> found) {
        return found.stream().limit(5).map(Approval::id).collect(Collectors.joining(", "))
                + (found.size() > 5 ? ", …" : "");
    }
}
