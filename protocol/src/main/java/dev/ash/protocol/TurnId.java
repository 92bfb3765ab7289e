package dev.ash.protocol;

import java.util.UUID;

/** Identifies a turn. Validated, so that paths and queries never contain unchecked input. */
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
