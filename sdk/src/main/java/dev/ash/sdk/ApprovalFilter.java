package dev.ash.sdk;

import org.jspecify.annotations.Nullable;

/**
 * Selects approvals to list; null components do not restrict. Pending approvals are listed oldest
 * first, others newest first; {@code after} is the last id of the previous page.
 */
public record ApprovalFilter(
        @Nullable String status,
        @Nullable String sessionId,
        @Nullable Integer limit,
        @Nullable String after) {
    public static final ApprovalFilter ALL = new ApprovalFilter(null, null, null, null);
    public static final ApprovalFilter PENDING = new ApprovalFilter("pending", null, null, null);
}
