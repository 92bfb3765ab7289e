package dev.ash.protocol;

import java.util.UUID;

/** Names one session; checked, so that no path or query is ever built from an unchecked string. */
public record SessionId(String value) {
    public SessionId {
        Identifiers.requireUuid("sessionId", value);
    }

    public static SessionId random() {
        return new SessionId(UUID.randomUUID().toString());
    }

    @Override
    public String toString() {
        return value;
    }
}
