package dev.ash.protocol;

import java.util.UUID;

/** Names one sandbox; checked, so that no path or query is ever built from an unchecked string. */
public record SandboxId(String value) {
    public SandboxId {
        Identifiers.requireUuid("sandboxId", value);
    }

    public static SandboxId random() {
        return new SandboxId(UUID.randomUUID().toString());
    }

    /** The part that appears in socket and folder names, which have little room. */
    public String shortId() {
        return value.substring(0, 8);
    }

    @Override
    public String toString() {
        return value;
    }
}
