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

/** The calls below {@code /api/agents}. */
public final class AgentsClient {
    private final Calls calls;

    AgentsClient(Calls calls) {
        this.calls = calls;
    }

    /**
     * Uploads a folder with its {@code CLAUDE.md}; a name that is taken gets a new version. What
     * {@code .git} holds is not uploaded, and {@link Agent#leftOut} names it.
     */
    public Agent deploy(String name, Path folder) {
        return deploy(name, folder, Map.of());
    }

    /** As {@link #deploy(String, Path)}, with variables for the agent's processes. */
    public Agent deploy(String name, Path folder, Map<String, String> env) {
        var content = AgentFolder.read(folder);
        var agent =
                create(
                        new AgentApi.CreateAgent(
                                name,
                                null,
                                null,
                                content.files(),
                                env.isEmpty() ? null : env,
                                null));
        return content.git().isEmpty() ? agent : withLeftOut(agent, content.git());
    }

    private static Agent withLeftOut(Agent agent, List<String> here) {
        var there = Objects.requireNonNullElse(agent.leftOut(), List.<String>of());
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
                Stream.concat(here.stream(), there.stream()).toList());
    }

    /** Deploys from whatever the request says: files, a folder of the server, or a prompt. */
    public Agent create(AgentApi.CreateAgent request) {
        return calls.post(Target.of("/api/agents"), request, AgentApi.AgentResponse.class).agent();
    }

    public List<Agent> list() {
        return calls.get(Target.of("/api/agents"), AgentApi.Agents.class).agents();
    }

    public Agent get(String name) {
        return calls.get(agent(name), AgentApi.AgentResponse.class).agent();
    }

    public Agent update(String name, AgentApi.UpdateAgent changes) {
        return calls.patch(agent(name), changes, AgentApi.AgentResponse.class).agent();
    }

    public RawJson config(String name) {
        return calls.get(config(agent(name)), AgentApi.AgentConfig.class).config();
    }

    /** Sets the members that {@code changes} has and leaves the others. */
    public RawJson updateConfig(String name, RawJson changes) {
        return calls.patch(config(agent(name)), changes, AgentApi.AgentConfig.class).config();
    }

    public void delete(String name) {
        calls.delete(agent(name), AgentApi.Ok.class);
    }

    public List<FileEntry> files(String name) {
        return calls.get(agent(name).segment("files"), AgentApi.Files.class).files();
    }

    /** The text of a file. */
    public FileContent readFile(String name, String path) {
        return calls.get(file(name, path).query("format", "json"), FileContent.class);
    }

    /** The bytes of a file, whatever they are. */
    public byte[] downloadFile(String name, String path) {
        return calls.bytes(file(name, path).query("format", "raw"));
    }

    /** How many were written. */
    public int writeFiles(String name, List<AgentApi.FileUpload> files) {
        var target = agent(name).segment("files");
        return calls.post(target, new AgentApi.UploadFiles(files), AgentApi.Written.class)
                .written();
    }

    public void deleteFile(String name, String path) {
        calls.delete(file(name, path), AgentApi.Deleted.class);
    }

    private static Target agent(String name) {
        return Target.of("/api/agents").segment(name);
    }

    private static Target config(Target agent) {
        return agent.segment("config");
    }

    private static Target file(String name, String path) {
        return agent(name).segment("files").segments(path);
    }
}
