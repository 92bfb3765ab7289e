package dev.ash.server.agent;

import dev.ash.protocol.AgentName;
import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.GitNames;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.json.RawJson;
import dev.ash.protocol.rest.AgentApi;
import dev.ash.server.http.Spool;
import dev.ash.server.store.KeyedLocks;
import dev.ash.server.workspace.FileTree;
import dev.ash.server.workspace.TreeCopy;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Deploys agents. Every change of an agent's files is a new version in a new folder. */
public final class Agents {
    private static final int MAX_LEFT_OUT = 100;

    private final AgentStore store;
    private final AgentFolders folders;
    private final AgentVersions versions;
    private final DeploymentFiles files;
    private final Clock clock;
    private final KeyedLocks<String> locks = new KeyedLocks<>();
    private final KeyedLocks<String> ensuring = new KeyedLocks<>();
    private final Listener listener;

    public Agents(
            AgentStore store,
            AgentFolders folders,
            AgentRoots roots,
            Listener listener,
            Clock clock) {
        this.store = store;
        this.folders = folders;
        this.versions = new AgentVersions(store, folders);
        this.files = new DeploymentFiles(roots);
        this.listener = listener;
        this.clock = clock;
    }

    /** Receives agents that changed, after the change. */
    public interface Listener {
        Listener NONE =
                new Listener() {
                    @Override
                    public void changed(DeployedAgent agent) {}

                    @Override
                    public void deleted(DeployedAgent agent) {}
                };

        void changed(DeployedAgent agent);

        void deleted(DeployedAgent agent);
    }

    /** An agent after a change of its files, and the paths that the change left out. */
    record Made(DeployedAgent agent, List<String> leftOut) {}

    public List<AgentName> names(TenantId tenant) {
        return store.names(tenant);
    }

    /** Those of all tenants; for the server's own use. */
    public List<DeployedAgent> all() {
        return store.all();
    }

    Optional<DeployedAgent> findIfPresent(TenantId tenant, AgentName name) {
        return store.find(tenant, name);
    }

    public DeployedAgent find(TenantId tenant, AgentName name) {
        return findIfPresent(tenant, name)
                .orElseThrow(
                        () ->
                                new ApiException(
                                        ErrorCode.AGENT_NOT_FOUND,
                                        "Agent \"%s\" not found".formatted(name)));
    }

    /** The folder of a version, if it is still there. */
    public Optional<Path> folder(String agentId, int version) {
        return folders.find(agentId, version);
    }

    /** An agent of this name with nothing to say, unless there is one. */
    public void ensure(TenantId tenant, AgentName name) {
        // One at a time: a second deployment would remove the files that a new session is copying.
        ensuring.holding(
                tenant + "/" + name,
                () ->
                        store.find(tenant, name)
                                .orElseGet(
                                        () ->
                                                deploy(tenant, withoutPrompt(name), new Spool())
                                                        .agent()));
    }

    private static AgentApi.CreateAgent withoutPrompt(AgentName name) {
        return new AgentApi.CreateAgent(name.value(), null, "", null, null, null);
    }

    /** The contents of its files are in the spool. */
    Made deploy(TenantId tenant, AgentApi.CreateAgent request, Spool spool) {
        var name = new AgentName(request.name());
        var env = request.env() == null ? null : AgentEnvironment.checked("env", request.env());
        var config = request.config() == null ? null : AgentConfigs.checked(request.config());
        var leftOut = new ArrayList<String>();
        var content = files.of(tenant, request, spool, leftOut);
        var agent =
                locked(
                        tenant,
                        name,
                        () -> {
                            store.checkNew(tenant, name);
                            var present = store.find(tenant, name);
                            var id =
                                    present.map(DeployedAgent::id)
                                            .orElse(UUID.randomUUID().toString());
                            int version = present.map(DeployedAgent::version).orElse(0) + 1;
                            var folder = versions.write(id, version, content);
                            long now = clock.millis();
                            return saved(
                                    new DeployedAgent(
                                            id,
                                            tenant,
                                            name,
                                            version,
                                            folder,
                                            env != null
                                                    ? env
                                                    : present.map(DeployedAgent::env)
                                                            .orElse(Map.of()),
                                            config != null
                                                    ? config
                                                    : present.map(DeployedAgent::config)
                                                            .orElse(RawJson.EMPTY_OBJECT),
                                            present.map(DeployedAgent::createdAt).orElse(now),
                                            now,
                                            request.path()));
                        });
        return made(agent, leftOut);
    }

    /** A new version that differs from the present one by what {@code change} does to its copy. */
    Made changeFiles(
            TenantId tenant, AgentName name, List<String> leftOutOfChange, AgentContent change) {
        var leftOut = new ArrayList<>(leftOutOfChange);
        var agent =
                locked(
                        tenant,
                        name,
                        () -> {
                            var present = find(tenant, name);
                            store.checkNew(tenant, name);
                            int version = present.version() + 1;
                            var folder =
                                    versions.write(
                                            present.id(),
                                            version,
                                            tree -> {
                                                leftOut.addAll(copy(present.folder(), tree));
                                                change.fill(tree);
                                            });
                            return saved(
                                    new DeployedAgent(
                                            present.id(),
                                            tenant,
                                            name,
                                            version,
                                            folder,
                                            present.env(),
                                            present.config(),
                                            present.createdAt(),
                                            clock.millis(),
                                            null));
                        });
        return made(agent, leftOut);
    }

    private static List<String> copy(Path version, FileTree to) throws IOException {
        var files = new FileTree(version, OptionalInt.empty());
        return TreeCopy.copy(TreeCopy.Source.ofServer(files), to, GitNames::isGitDirectory);
    }

    private static Made made(DeployedAgent agent, List<String> leftOut) {
        return new Made(agent, leftOut.stream().limit(MAX_LEFT_OUT).toList());
    }

    DeployedAgent update(
            TenantId tenant,
            AgentName name,
            @Nullable Map<String, String> env,
            @Nullable RawJson config) {
        var newEnv = env == null ? null : AgentEnvironment.checked("env", env);
        return locked(
                tenant,
                name,
                () -> {
                    var present = find(tenant, name);
                    var agent =
                            new DeployedAgent(
                                    present.id(),
                                    tenant,
                                    name,
                                    present.version(),
                                    present.folder(),
                                    newEnv == null ? present.env() : newEnv,
                                    config == null
                                            ? present.config()
                                            : AgentConfigs.merged(present.config(), config),
                                    present.createdAt(),
                                    clock.millis(),
                                    present.source());
                    store.save(agent);
                    listener.changed(agent);
                    return agent;
                });
    }

    /** The sessions of an agent are ended by the caller first; this removes row and folders. */
    void delete(DeployedAgent agent) {
        locked(
                agent.tenant(),
                agent.name(),
                () -> {
                    store.delete(agent);
                    listener.deleted(agent);
                    folders.removeAll(agent.id());
                    return agent;
                });
    }

    private DeployedAgent saved(DeployedAgent agent) throws IOException {
        versions.save(agent);
        var inUse = versions.inUse(agent);
        listener.changed(agent);
        versions.keepOnly(agent, inUse);
        return agent;
    }

    /** Called at start, to clean up what a server left that was killed. */
    public void recover() {
        versions.recover();
    }

    private interface Change {
        DeployedAgent make() throws IOException;
    }

    private DeployedAgent locked(TenantId tenant, AgentName name, Change change) {
        return locks.holding(
                tenant + "/" + name,
                () -> {
                    try {
                        return change.make();
                    } catch (IOException e) {
                        throw new ApiException(
                                ErrorCode.INTERNAL,
                                "The agent's files could not be written; the server's log has the"
                                        + " details",
                                e);
                    }
                });
    }
}
