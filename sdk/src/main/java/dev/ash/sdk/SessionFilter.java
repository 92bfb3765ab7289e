package dev.ash.sdk;

import org.jspecify.annotations.Nullable;

/** Selects sessions to list; null components do not restrict. */
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

    /** Selects sessions by the first characters of their id. */
    public static SessionFilter idPrefix(String prefix) {
        return new SessionFilter(null, null, null, null, prefix);
    }
}
