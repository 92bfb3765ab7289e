package dev.ash.protocol.rest;

import dev.ash.protocol.json.RawJson;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Requests and responses of {@code /api/approvals}. */
public interface ApprovalApi {
    record Approvals(List<Approval> approvals) {}

    record ApprovalResponse(Approval approval) {}

    /**
     * Decides an approval.
     *
     * @param decision {@code approved}, {@code rejected} or {@code modified}
     * @param input with {@code modified}: the replacement of the tool's input
     * @param message sent to the engine, usually the reason of a rejection
     * @param scope {@code once} (default) or {@code session}: all later calls of this tool in this
     *     session
     */
    record Decide(
            @FieldSchema(values = {"approved", "rejected", "modified"}) String decision,
            @FieldSchema(ref = "ToolInput") @Nullable RawJson input,
            @Nullable String message,
            @FieldSchema(values = {"once", "session"}) @Nullable String scope) {}
}
