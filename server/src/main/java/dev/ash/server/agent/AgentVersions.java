package dev.ash.server.agent;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.server.workspace.FileTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Collectors;

/** Manages the versions of agents: a directory and a row each, removed when no longer used. */
final class AgentVersions {
    private static final System.Logger LOG = System.getLogger("ash.agent");

    private final AgentStore store;
    private final AgentDirectories directories;

    AgentVersions(AgentStore store, AgentDirectories directories) {
        this.store = store;
        this.directories = directories;
    }

    /** Writes the files of a new version; {@link #save} stores its row. */
    Path write(String id, int version, AgentContent content) throws IOException {
        var staged = directories.stage(id);
        try {
            content.fill(new FileTree(staged, OptionalInt.empty()));
            if (!Files.isRegularFile(
                    staged.resolve(AgentContent.PROMPT), LinkOption.NOFOLLOW_LINKS)) {
                throw new ApiException(
                        ErrorCode.VALIDATION_FAILED,
                        "Agent directory must contain CLAUDE.md, the file with its system prompt");
            }
            var directory = directories.version(id, version);
            directories.publish(staged, directory);
            return directory;
        } finally {
            AgentDirectories.remove(staged);
        }
    }

    /** Stores the row of a new version; removes the version's files if this fails. */
    void save(DeployedAgent agent) throws IOException {
        try {
            store.saveVersion(agent, AgentDirectories.size(agent.directory()));
        } catch (ApiException e) {
            if (agent.version() == 1) {
                directories.removeAll(agent.id());
            } else {
                AgentDirectories.remove(agent.directory());
            }
            throw e;
        }
    }

    /** Returns the current version and those that sessions use. */
    Set<Integer> inUse(DeployedAgent agent) {
        var versions = new HashSet<>(store.versionsInUse(agent.id()));
        versions.add(agent.version());
        return versions;
    }

    /** Removes the files and sizes of all other versions. */
    void keepOnly(DeployedAgent agent, Set<Integer> versions) throws IOException {
        directories.keepOnly(agent.id(), versions);
        store.deleteOtherSizes(agent.id(), versions);
    }

    /**
     * Cleans up at server start: removes files of unfinished deployments, and stores the missing
     * sizes of versions that earlier releases deployed.
     */
    void recover() {
        try {
            var all = store.all();
            directories.removeAllExcept(
                    all.stream().map(DeployedAgent::id).collect(Collectors.toUnmodifiableSet()));
            for (var agent : all) {
                var sized = store.sizedVersions(agent.id());
                for (int version : directories.versions(agent.id())) {
                    if (!sized.contains(version)) {
                        var directory = directories.version(agent.id(), version);
                        store.saveSize(agent.id(), version, AgentDirectories.size(directory));
                    }
                }
            }
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, "cannot read the files of agents", e);
        }
    }
}
