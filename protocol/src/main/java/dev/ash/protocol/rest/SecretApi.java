package dev.ash.protocol.rest;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Requests and answers below {@code /api/secrets}. No answer contains a secret. */
public interface SecretApi {
    /** Only this one is in use. */
    String CURRENT = "current";

    /** Stored values are being sealed again; continues automatically, also after a restart. */
    String ROTATING = "rotating";

    /** The previous one is still accepted. */
    String OVERLAP = "overlap";

    /** Set by the operator; the server cannot replace it. */
    String FIXED = "fixed";

    /**
     * {@code secrets} are {@code sealing-key}, {@code hook-token}, {@code certificates} or {@code
     * all}. {@code overlapMinutes} (60): how long replaced tokens are accepted; 0 for not at all.
     */
    record RotateSecrets(
            @FieldSchema(values = {"sealing-key", "hook-token", "certificates", "all"})
                    List<String> secrets,
            @Nullable Integer overlapMinutes) {}

    /**
     * Age and state of a secret. {@code id} tells two secrets apart and is not secret; {@code
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

    /** Rows of a table in the rotation of the sealing key. */
    record Progress(String table, long resealed, long remaining, long unreadable) {}

    record Secrets(List<Secret> secrets) {}
}
