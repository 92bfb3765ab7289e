package dev.ash.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.json.RawJson;
import dev.ash.protocol.rest.Approval;
import dev.ash.server.event.EventType;
import dev.ash.server.event.LoggedEvent;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class OpenApprovalsTest {
    private final List<Approval> open = new ArrayList<>();

    private static Approval approval(String id) {
        return new Approval(
                id,
                "s",
                null,
                "tool",
                "Bash",
                null,
                null,
                RawJson.EMPTY_OBJECT,
                "pending",
                null,
                null,
                null,
                null,
                "",
                null,
                null,
                null,
                null);
    }

    private static LoggedEvent required(String id) {
        return new LoggedEvent(
                1,
                null,
                EventType.APPROVAL_REQUIRED,
                RawJson.of("{\"id\":\"%s\"}".formatted(id)),
                0);
    }

    @Test
    void returnsEachOpenApprovalOnce() {
        open.add(approval("logged"));
        open.add(approval("before"));
        var approvals = new OpenApprovals(() -> open);

        assertThat(approvals.isResolved(required("logged"))).isFalse();
        assertThat(approvals.remaining()).extracting(Approval::id).containsExactly("before");
    }

    @Test
    void skipsResolvedApprovals() {
        open.add(approval("logged"));
        open.add(approval("before"));
        var approvals = new OpenApprovals(() -> open);
        open.clear();

        assertThat(approvals.isResolved(required("logged"))).isTrue();
        assertThat(approvals.remaining()).isEmpty();
    }

    @Test
    void includesApprovalsAddedDuringReplay() {
        var approvals = new OpenApprovals(() -> open);
        open.add(approval("new"));

        assertThat(approvals.isResolved(required("new"))).isFalse();
        assertThat(approvals.remaining()).isEmpty();
    }
}
