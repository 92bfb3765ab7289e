package dev.ash.protocol;

import java.util.UUID;

/** Names one turn; checked, so that no path or query is ever built from an unchecked string. */
public record TurnId(String value) {
    public TurnId {
        Identifiers.requireUuid("turnId", value);
    }

    public static TurnId random() {
        return new TurnId(UUID.randomUUID().toString());
    }

    @Override
    public String toString() {
        return value;
    }
}
