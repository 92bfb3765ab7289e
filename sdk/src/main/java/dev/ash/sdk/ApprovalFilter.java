package dev.ash.sdk;

import org.jspecify.annotations.Nullable;

/**
 * Which approvals to list; what is null does not restrict. Pending ones come oldest first, others
 * newest first; {@code after} is the id of the last one of the page before.
 */
public record ApprovalFilter(
        @Nullable String status,
        @Nullable String sessionId,
        @Nullable Integer limit,
        @Nullable String after) {
    public static final ApprovalFilter ALL = new ApprovalFilter(null, null, null, null);
    public static final ApprovalFilter PENDING = new ApprovalFilter("pending", null, null, null);
}
