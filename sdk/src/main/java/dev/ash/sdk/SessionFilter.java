package dev.ash.sdk;

import org.jspecify.annotations.Nullable;

/** Which sessions to list; what is null does not restrict. */
public record SessionFilter(
        @Nullable String agent,
        @Nullable String status,
        @Nullable Integer limit,
        @Nullable Integer offset,
        @Nullable String idPrefix) {
    public static final SessionFilter ALL = new SessionFilter(null, null, null, null);

    public SessionFilter(
            @Nullable String agent,
            @Nullable String status,
            @Nullable Integer limit,
            @Nullable Integer offset) {
        this(agent, status, limit, offset, null);
    }

    /** Sessions whose id begins with these characters. */
    public static SessionFilter idPrefix(String prefix) {
        return new SessionFilter(null, null, null, null, prefix);
    }
}
