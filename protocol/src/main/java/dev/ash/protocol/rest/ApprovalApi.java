package dev.ash.protocol.rest;

import dev.ash.protocol.json.RawJson;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Requests and answers below {@code /api/approvals}. */
public interface ApprovalApi {
    record Approvals(List<Approval> approvals) {}

    record ApprovalAnswer(Approval approval) {}

    /**
     * An answer.
     *
     * @param decision {@code approved}, {@code rejected} or {@code modified}
     * @param input with {@code modified}: what the tool is called with instead
     * @param message what the engine is told, above all why not
     * @param scope {@code once} (if absent) or {@code session}: every call of this tool in this
     *     session from now on
     */
    record Decide(
            @FieldSchema(values = {"approved", "rejected", "modified"}) String decision,
            @FieldSchema(ref = "ToolInput") @Nullable RawJson input,
            @Nullable String message,
            @FieldSchema(values = {"once", "session"}) @Nullable String scope) {}
}
