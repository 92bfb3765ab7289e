package dev.ash.protocol.rest;

import dev.ash.protocol.json.RawJson;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A deployed agent as clients see it; the values of {@code env} are hidden.
 *
 * @param path the deployed directory of the server's host, as given by the client; for an uploaded
 *     agent, the directory in which the server stores its files
 * @param leftOut in the response to a deployment: paths that were ignored, such as {@code .git}; at
 *     most 100
 */
public record Agent(
        String id,
        String name,
        String tenantId,
        int version,
        String path,
        @Nullable Map<String, String> env,
        @FieldSchema(ref = "AgentConfiguration") @Nullable RawJson config,
        String createdAt,
        String updatedAt,
        @Nullable List<String> leftOut) {}
