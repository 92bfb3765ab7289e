package dev.ash.sdk;

import dev.ash.protocol.json.RawJson;
import dev.ash.protocol.rest.Approval;
import dev.ash.protocol.rest.ApprovalApi;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Client for the {@code /api/approvals} endpoints. The first answer counts; the server rejects
 * later ones with {@code APPROVAL_RESOLVED} and a message that names the first.
 */
public final class ApprovalsClient {
    private final RestClient rest;

    ApprovalsClient(RestClient rest) {
        this.rest = rest;
    }

    public List<Approval> list(ApprovalFilter filter) {
        var target =
                ApiPath.of("/api/approvals")
                        .query("status", filter.status())
                        .query("sessionId", filter.sessionId())
                        .query("limit", filter.limit())
                        .query("after", filter.after());
        return rest.get(target, ApprovalApi.Approvals.class).approvals();
    }

    public Approval get(String id) {
        return rest.get(approval(id), ApprovalApi.ApprovalResponse.class).approval();
    }

    /** Allows the tool call with its original input. */
    public Approval approve(String id) {
        return decide(id, new ApprovalApi.Decide("approved", null, null, null));
    }

    /** Allows this tool call and all later calls of the same tool in the session. */
    public Approval approveForSession(String id) {
        return decide(id, new ApprovalApi.Decide("approved", null, null, "session"));
    }

    /**
     * Allows the tool call with a different input. Also answers questions: {@code
     * {"answers":{"Which one?":"The first"}}}.
     */
    public Approval modify(String id, RawJson input) {
        return decide(id, new ApprovalApi.Decide("modified", input, null, null));
    }

    /** Rejects the tool call; {@code message} is the reason given to the engine. */
    public Approval reject(String id, @Nullable String message) {
        return decide(id, new ApprovalApi.Decide("rejected", null, message, null));
    }

    private Approval decide(String id, ApprovalApi.Decide decision) {
        return rest.post(approval(id), decision, ApprovalApi.ApprovalResponse.class).approval();
    }

    private static ApiPath approval(String id) {
        return ApiPath.of("/api/approvals").segment(id);
    }
}
