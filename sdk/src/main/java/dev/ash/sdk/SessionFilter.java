package dev.ash.sdk;

import org.jspecify.annotations.Nullable;

/** Which sessions to list; what is null does not restrict. */
public record SessionFilter(
        @Nullable String agent,
        @Nullable String status,
        @Nullable Integer limit,
        @Nullable Integer offset) {
    public static final SessionFilter ALL = new SessionFilter(null, null, null, null);
}
