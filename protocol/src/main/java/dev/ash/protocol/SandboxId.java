package dev.ash.protocol;

import java.util.UUID;

/** Identifies a sandbox. Validated, so that paths and queries never contain unchecked input. */
public record SandboxId(String value) {
    public SandboxId {
        Identifiers.requireUuid("sandboxId", value);
    }

    public static SandboxId random() {
        return new SandboxId(UUID.randomUUID().toString());
    }

    /** Returns the prefix used in names of sockets and directories, whose length is limited. */
    public String shortId() {
        return value.substring(0, 8);
    }

    @Override
    public String toString() {
        return value;
    }
}
