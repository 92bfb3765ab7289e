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

/** The versions of agents: a directory and a row for each, both removed when nobody uses it. */
final class AgentVersions {
    private static final System.Logger LOG = System.getLogger("ash.agent");

    private final AgentStore store;
    private final AgentFolders folders;

    AgentVersions(AgentStore store, AgentFolders folders) {
        this.store = store;
        this.folders = folders;
    }

    /** Writes the files of a new version; its row follows with {@link #save}. */
    Path write(String id, int version, AgentContent content) throws IOException {
        var staged = folders.stage(id);
        try {
            content.fill(new FileTree(staged, OptionalInt.empty()));
            if (!Files.isRegularFile(
                    staged.resolve(AgentContent.PROMPT), LinkOption.NOFOLLOW_LINKS)) {
                throw new ApiException(
                        ErrorCode.VALIDATION_FAILED,
                        "Agent directory must contain CLAUDE.md, the file with its system prompt");
            }
            var folder = folders.version(id, version);
            folders.finish(staged, folder);
            return folder;
        } finally {
            AgentFolders.remove(staged);
        }
    }

    /** Stores an agent with a new version, or removes the files of that version. */
    void save(DeployedAgent agent) throws IOException {
        try {
            store.saveVersion(agent, AgentFolders.size(agent.folder()));
        } catch (ApiException e) {
            if (agent.version() == 1) {
                folders.removeAll(agent.id());
            } else {
                AgentFolders.remove(agent.folder());
            }
            throw e;
        }
    }

    /** The agent's own version, and those that sessions were started from. */
    Set<Integer> inUse(DeployedAgent agent) {
        var versions = new HashSet<>(store.versionsInUse(agent.id()));
        versions.add(agent.version());
        return versions;
    }

    void keepOnly(DeployedAgent agent, Set<Integer> versions) throws IOException {
        folders.keepOnly(agent.id(), versions);
        store.keepSizes(agent.id(), versions);
    }

    /**
     * At start: removes what an unfinished deployment left, and measures versions of earlier
     * servers, which did not store their size.
     */
    void recover() {
        try {
            var all = store.all();
            folders.removeUnknown(
                    all.stream().map(DeployedAgent::id).collect(Collectors.toUnmodifiableSet()));
            for (var agent : all) {
                var known = store.sizedVersions(agent.id());
                for (int version : folders.versions(agent.id())) {
                    if (!known.contains(version)) {
                        var folder = folders.version(agent.id(), version);
                        store.saveSize(agent.id(), version, AgentFolders.size(folder));
                    }
                }
            }
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, "the files of agents could not be read", e);
        }
    }
}
