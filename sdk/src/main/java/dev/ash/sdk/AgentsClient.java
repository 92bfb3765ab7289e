package dev.ash.sdk;

import dev.ash.protocol.json.RawJson;
import dev.ash.protocol.rest.Agent;
import dev.ash.protocol.rest.AgentApi;
import dev.ash.protocol.rest.FileContent;
import dev.ash.protocol.rest.FileEntry;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/** Client for the {@code /api/agents} endpoints. */
public final class AgentsClient {
    private final RestClient rest;

    AgentsClient(RestClient rest) {
        this.rest = rest;
    }

    /**
     * Uploads a directory with a {@code CLAUDE.md} as an agent, or as a new version of an existing
     * agent. Skips {@code .git} and lists it in {@link Agent#leftOut}.
     */
    public Agent deploy(String name, Path directory) {
        return deploy(name, directory, Map.of());
    }

    /** Like {@link #deploy(String, Path)}, with environment variables for the agent. */
    public Agent deploy(String name, Path directory, Map<String, String> env) {
        var content = AgentDirectory.read(directory);
        var agent =
                create(
                        new AgentApi.CreateAgent(
                                name,
                                null,
                                null,
                                content.files(),
                                env.isEmpty() ? null : env,
                                null));
        return content.skippedGitPaths().isEmpty()
                ? agent
                : withSkipped(agent, content.skippedGitPaths());
    }

    private static Agent withSkipped(Agent agent, List<String> skippedHere) {
        var skippedByServer = Objects.requireNonNullElse(agent.leftOut(), List.<String>of());
        return new Agent(
                agent.id(),
                agent.name(),
                agent.tenantId(),
                agent.version(),
                agent.path(),
                agent.env(),
                agent.config(),
                agent.createdAt(),
                agent.updatedAt(),
                Stream.concat(skippedHere.stream(), skippedByServer.stream()).toList());
    }

    /** Deploys an agent from files, a directory on the server, or a prompt. */
    public Agent create(AgentApi.CreateAgent request) {
        return rest.post(ApiPath.of("/api/agents"), request, AgentApi.AgentResponse.class).agent();
    }

    public List<Agent> list() {
        return rest.get(ApiPath.of("/api/agents"), AgentApi.Agents.class).agents();
    }

    public Agent get(String name) {
        return rest.get(agent(name), AgentApi.AgentResponse.class).agent();
    }

    public Agent update(String name, AgentApi.UpdateAgent changes) {
        return rest.patch(agent(name), changes, AgentApi.AgentResponse.class).agent();
    }

    public RawJson config(String name) {
        return rest.get(config(agent(name)), AgentApi.AgentConfig.class).config();
    }

    /** Sets the members in {@code changes}; other members are unchanged. */
    public RawJson updateConfig(String name, RawJson changes) {
        return rest.patch(config(agent(name)), changes, AgentApi.AgentConfig.class).config();
    }

    public void delete(String name) {
        rest.delete(agent(name), AgentApi.Ok.class);
    }

    public List<FileEntry> files(String name) {
        return rest.get(agent(name).segment("files"), AgentApi.Files.class).files();
    }

    /** Returns the text of a file. */
    public FileContent readFile(String name, String path) {
        return rest.get(file(name, path).query("format", "json"), FileContent.class);
    }

    /** Returns the bytes of a file. */
    public byte[] downloadFile(String name, String path) {
        return rest.bytes(file(name, path).query("format", "raw"));
    }

    /** Returns the number of files written. */
    public int writeFiles(String name, List<AgentApi.FileUpload> files) {
        var target = agent(name).segment("files");
        return rest.post(target, new AgentApi.UploadFiles(files), AgentApi.Written.class).written();
    }

    public void deleteFile(String name, String path) {
        rest.delete(file(name, path), AgentApi.Deleted.class);
    }

    private static ApiPath agent(String name) {
        return ApiPath.of("/api/agents").segment(name);
    }

    private static ApiPath config(ApiPath agent) {
        return agent.segment("config");
    }

    private static ApiPath file(String name, String path) {
        return agent(name).segment("files").segments(path);
    }
}
