package dev.ash.protocol.rest;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Requests and responses of {@code /api/credentials}. No response contains a key. */
public interface CredentialApi {
    /** {@code type} is {@code anthropic}, {@code openai} or {@code google}. */
    record CreateCredential(
            @FieldSchema(values = {"anthropic", "openai", "google"}) String type,
            String key,
            @Nullable String label) {}

    record Credential(
            String id,
            @FieldSchema(values = {"anthropic", "openai", "google"}) String type,
            String label,
            boolean active,
            String createdAt,
            @Nullable String lastUsedAt) {}

    record CredentialResponse(Credential credential) {}

    record Credentials(List<Credential> credentials) {}
}
