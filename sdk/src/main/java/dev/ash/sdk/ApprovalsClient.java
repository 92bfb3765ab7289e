package dev.ash.sdk;

import dev.ash.protocol.json.RawJson;
import dev.ash.protocol.rest.Approval;
import dev.ash.protocol.rest.ApprovalApi;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The calls below {@code /api/approvals}. The first answer counts; later ones are refused with
 * {@code APPROVAL_RESOLVED} and a sentence that tells who was first.
 */
public final class ApprovalsClient {
    private final Calls calls;

    ApprovalsClient(Calls calls) {
        this.calls = calls;
    }

    public List<Approval> list(ApprovalFilter filter) {
        var target =
                Target.of("/api/approvals")
                        .query("status", filter.status())
                        .query("sessionId", filter.sessionId())
                        .query("limit", filter.limit())
                        .query("after", filter.after());
        return calls.get(target, ApprovalApi.Approvals.class).approvals();
    }

    public Approval get(String id) {
        return calls.get(approval(id), ApprovalApi.ApprovalResponse.class).approval();
    }

    /** Lets the tool run as it was called. */
    public Approval approve(String id) {
        return decide(id, new ApprovalApi.Decide("approved", null, null, null));
    }

    /** And every later call of the same tool in this session. */
    public Approval approveForSession(String id) {
        return decide(id, new ApprovalApi.Decide("approved", null, null, "session"));
    }

    /**
     * Lets the tool run with another input. This is also the answer to a question: {@code
     * {"answers":{"Which one?":"The first"}}}.
     */
    public Approval modify(String id, RawJson input) {
        return decide(id, new ApprovalApi.Decide("modified", input, null, null));
    }

    /** {@code message} tells the engine why. */
    public Approval reject(String id, @Nullable String message) {
        return decide(id, new ApprovalApi.Decide("rejected", null, message, null));
    }

    private Approval decide(String id, ApprovalApi.Decide decision) {
        return calls.post(approval(id), decision, ApprovalApi.ApprovalResponse.class).approval();
    }

    private static Target approval(String id) {
        return Target.of("/api/approvals").segment(id);
    }
}
