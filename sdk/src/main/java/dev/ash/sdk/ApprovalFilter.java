package dev.ash.sdk;

import org.jspecify.annotations.Nullable;

/** Which approvals to list; what is null does not restrict. */
public record ApprovalFilter(
        @Nullable String status, @Nullable String sessionId, @Nullable Integer limit) {
    public static final ApprovalFilter ALL = new ApprovalFilter(null, null, null);
    public static final ApprovalFilter PENDING = new ApprovalFilter("pending", null, null);
}
