package dev.ash.protocol;

import java.util.UUID;

/** Identifies a session. Validated, so that paths and queries never contain unchecked input. */
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
