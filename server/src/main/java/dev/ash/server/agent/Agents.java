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

/**
 * Deploys, changes and deletes agents. Each change of files creates a version in a new directory.
 */
public final class Agents {
    private static final int MAX_LEFT_OUT = 100;

    private final AgentStore store;
    private final AgentDirectories directories;
    private final AgentVersions versions;
    private final DeploymentFiles files;
    private final Clock clock;
    private final KeyedLocks<String> locks = new KeyedLocks<>();
    private final KeyedLocks<String> ensuring = new KeyedLocks<>();
    private final Listener listener;

    public Agents(
            AgentStore store,
            AgentDirectories directories,
            AgentRoots roots,
            Listener listener,
            Clock clock) {
        this.store = store;
        this.directories = directories;
        this.versions = new AgentVersions(store, directories);
        this.files = new DeploymentFiles(roots);
        this.listener = listener;
        this.clock = clock;
    }

    /** Is notified of agents after they were changed or deleted. */
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

    /** An agent after a change of its files, and the paths that were skipped. */
    record DeployResult(DeployedAgent agent, List<String> leftOut) {}

    public List<AgentName> names(TenantId tenant) {
        return store.names(tenant);
    }

    /** Returns the agents of all tenants, for internal use. */
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

    /** Returns the directory of a version, if it exists. */
    public Optional<Path> directory(String agentId, int version) {
        return directories.find(agentId, version);
    }

    /** Deploys an agent with an empty system prompt, unless an agent of this name exists. */
    public void ensure(TenantId tenant, AgentName name) {
        // Serialized: a second deployment would remove the files that a new session is copying.
        ensuring.holding(
                tenant + "/" + name,
                () ->
                        store.find(tenant, name)
                                .orElseGet(
                                        () ->
                                                deploy(
                                                                tenant,
                                                                emptyPromptRequest(name),
                                                                new Spool())
                                                        .agent()));
    }

    private static AgentApi.CreateAgent emptyPromptRequest(AgentName name) {
        return new AgentApi.CreateAgent(name.value(), null, "", null, null, null);
    }

    /** Deploys a new version; the spool contains the contents of its files. */
    DeployResult deploy(TenantId tenant, AgentApi.CreateAgent request, Spool spool) {
        var name = new AgentName(request.name());
        var env = request.env() == null ? null : AgentEnvironment.check("env", request.env());
        var config = request.config() == null ? null : AgentConfigs.check(request.config());
        var leftOut = new ArrayList<String>();
        var content = files.of(tenant, request, spool, leftOut);
        var agent =
                locked(
                        tenant,
                        name,
                        () -> {
                            store.checkQuota(tenant, name);
                            var current = store.find(tenant, name);
                            var id =
                                    current.map(DeployedAgent::id)
                                            .orElse(UUID.randomUUID().toString());
                            int version = current.map(DeployedAgent::version).orElse(0) + 1;
                            var directory = versions.write(id, version, content);
                            long now = clock.millis();
                            return saveAndPrune(
                                    new DeployedAgent(
                                            id,
                                            tenant,
                                            name,
                                            version,
                                            directory,
                                            env != null
                                                    ? env
                                                    : current.map(DeployedAgent::env)
                                                            .orElse(Map.of()),
                                            config != null
                                                    ? config
                                                    : current.map(DeployedAgent::config)
                                                            .orElse(RawJson.EMPTY_OBJECT),
                                            current.map(DeployedAgent::createdAt).orElse(now),
                                            now,
                                            request.path()));
                        });
        return result(agent, leftOut);
    }

    /** Creates a new version from a copy of the current one, to which it applies the change. */
    DeployResult changeFiles(
            TenantId tenant, AgentName name, List<String> skippedUploads, AgentContent change) {
        var leftOut = new ArrayList<>(skippedUploads);
        var agent =
                locked(
                        tenant,
                        name,
                        () -> {
                            var current = find(tenant, name);
                            store.checkQuota(tenant, name);
                            int version = current.version() + 1;
                            var directory =
                                    versions.write(
                                            current.id(),
                                            version,
                                            tree -> {
                                                leftOut.addAll(copy(current.directory(), tree));
                                                change.fill(tree);
                                            });
                            return saveAndPrune(
                                    new DeployedAgent(
                                            current.id(),
                                            tenant,
                                            name,
                                            version,
                                            directory,
                                            current.env(),
                                            current.config(),
                                            current.createdAt(),
                                            clock.millis(),
                                            null));
                        });
        return result(agent, leftOut);
    }

    private static List<String> copy(Path version, FileTree to) throws IOException {
        var files = new FileTree(version, OptionalInt.empty());
        return TreeCopy.copy(TreeCopy.Source.ofServer(files), to, GitNames::isGitDirectory);
    }

    private static DeployResult result(DeployedAgent agent, List<String> leftOut) {
        return new DeployResult(agent, leftOut.stream().limit(MAX_LEFT_OUT).toList());
    }

    DeployedAgent update(
            TenantId tenant,
            AgentName name,
            @Nullable Map<String, String> env,
            @Nullable RawJson config) {
        var newEnv = env == null ? null : AgentEnvironment.check("env", env);
        return locked(
                tenant,
                name,
                () -> {
                    var current = find(tenant, name);
                    var agent =
                            new DeployedAgent(
                                    current.id(),
                                    tenant,
                                    name,
                                    current.version(),
                                    current.directory(),
                                    newEnv == null ? current.env() : newEnv,
                                    config == null
                                            ? current.config()
                                            : AgentConfigs.merge(current.config(), config),
                                    current.createdAt(),
                                    clock.millis(),
                                    current.source());
                    store.save(agent);
                    listener.changed(agent);
                    return agent;
                });
    }

    /** Removes the row and the directories of an agent; the caller has ended its sessions. */
    void delete(DeployedAgent agent) {
        locked(
                agent.tenant(),
                agent.name(),
                () -> {
                    store.delete(agent);
                    listener.deleted(agent);
                    directories.removeAll(agent.id());
                    return agent;
                });
    }

    private DeployedAgent saveAndPrune(DeployedAgent agent) throws IOException {
        versions.save(agent);
        var inUse = versions.inUse(agent);
        listener.changed(agent);
        versions.keepOnly(agent, inUse);
        return agent;
    }

    /** Cleans up at server start after an earlier server was killed. */
    public void recover() {
        versions.recover();
    }

    private interface Change {
        DeployedAgent apply() throws IOException;
    }

    private DeployedAgent locked(TenantId tenant, AgentName name, Change change) {
        return locks.holding(
                tenant + "/" + name,
                () -> {
                    try {
                        return change.apply();
                    } catch (IOException e) {
                        throw new ApiException(
                                ErrorCode.INTERNAL,
                                "Cannot write the agent's files; see the server's log for details",
                                e);
                    }
                });
    }
}
