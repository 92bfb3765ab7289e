package dev.ash.protocol.rest;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Requests and responses of {@code /api/secrets}. No response contains a secret. */
public interface SecretApi {
    /** Only the current secret is accepted. */
    String CURRENT = "current";

    /** Stored values are being sealed again; continues automatically, also after a restart. */
    String ROTATING = "rotating";

    /** The previous secret is still accepted. */
    String OVERLAP = "overlap";

    /** Set by the operator; the server cannot replace it. */
    String FIXED = "fixed";

    /**
     * Rotates secrets: {@code sealing-key}, {@code hook-token}, {@code certificates} or {@code
     * all}. {@code overlapMinutes} (default 60) is the time during which replaced tokens are
     * accepted.
     */
    record RotateSecrets(
            @FieldSchema(values = {"sealing-key", "hook-token", "certificates", "all"})
                    List<String> secrets,
            @Nullable Integer overlapMinutes) {}

    /**
     * Age and state of a secret. {@code id} identifies the secret and is not confidential; {@code
     * previousUntil} is the end of the overlap.
     */
    record Secret(
            String name,
            String id,
            @Nullable String createdAt,
            @FieldSchema(values = {"current", "rotating", "overlap", "fixed"}) String state,
            @Nullable String previousUntil,
            @Nullable String note,
            List<Progress> progress) {}

    /** Progress of a rotation of the sealing key in one table, in rows. */
    record Progress(String table, long resealed, long remaining, long unreadable) {}

    record Secrets(List<Secret> secrets) {}
}
