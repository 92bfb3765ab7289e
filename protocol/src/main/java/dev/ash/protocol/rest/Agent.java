package dev.ash.protocol.rest;

import dev.ash.protocol.json.RawJson;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A deployed agent as clients see it; the values of {@code env} are hidden. */
public record Agent(
        String id,
        String name,
        String tenantId,
        int version,
        String path,
        @Nullable Map<String, String> env,
        @Nullable RawJson config,
        String createdAt,
        String updatedAt) {}
