package dev.ash.protocol.rest;

import dev.ash.protocol.json.RawJson;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Requests and responses of {@code /api/agents}. */
public interface AgentApi {
    /**
     * Deploys an agent from a directory of the server's host below {@code ASH_AGENT_ROOTS} ({@code
     * path}), from uploaded files, or from a system prompt alone.
     */
    record CreateAgent(
            String name,
            @Nullable String path,
            @Nullable String systemPrompt,
            @Nullable List<FileUpload> files,
            @Nullable Map<String, String> env,
            @FieldSchema(ref = "AgentConfiguration") @Nullable RawJson config) {}

    record UpdateAgent(
            @Nullable Map<String, String> env,
            @FieldSchema(ref = "AgentConfiguration") @Nullable RawJson config) {}

    /** A file by its relative path; {@code content} is base64. */
    record FileUpload(
            String path, String content, @Nullable String mimeType, @Nullable Boolean executable) {}

    record UploadFiles(List<FileUpload> files) {}

    record AgentResponse(Agent agent) {}

    record Agents(List<Agent> agents) {}

    record AgentConfig(@FieldSchema(ref = "AgentConfiguration") RawJson config) {}

    record Files(List<FileEntry> files) {}

    /** {@code leftOut} lists ignored paths, such as those in {@code .git}; at most 100. */
    record Written(int written, @Nullable List<String> leftOut) {}

    record Deleted(boolean deleted) {}

    record Ok(boolean ok) {}
}
