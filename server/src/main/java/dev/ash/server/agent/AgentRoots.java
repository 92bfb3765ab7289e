package dev.ash.server.agent;

import dev.ash.protocol.GitNames;
import dev.ash.protocol.TenantId;
import dev.ash.sandbox.launch.HostUser;
import dev.ash.server.project.HostFolders;
import dev.ash.server.project.HostFolders.Purpose;
import dev.ash.server.project.Roots;
import dev.ash.server.workspace.FileTree;
import dev.ash.server.workspace.HeldFolder;
import dev.ash.server.workspace.TreeCopy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Folders of the host that agents can be deployed from: those below {@code ASH_AGENT_ROOTS}. */
public final class AgentRoots {
    /** For a server that opens no folder. */
    public static final AgentRoots NONE =
            new AgentRoots(Roots.none(Roots.AGENTS), HostFolders.NONE);

    /** What can be made again. */
    private static final Set<String> GENERATED =
            Set.of("node_modules", "__pycache__", ".venv", "venv", ".cache");

    private static final Purpose PURPOSE =
            new Purpose(
                    "path",
                    "upload the agent instead, with `ash deploy` or the field \"files\", which works without the setting");

    private final Roots roots;
    private final HostFolders folders;

    public AgentRoots(Roots roots, HostFolders folders) {
        this.roots = roots;
        this.folders = folders;
    }

    /** The real location of a folder that a client named. */
    Path admit(TenantId tenant, String path) {
        var real = folders.admit(tenant, path, roots, PURPOSE);
        if (!Files.isDirectory(real, LinkOption.NOFOLLOW_LINKS)) {
            throw PURPOSE.invalid("\"%s\" is not a folder".formatted(path));
        }
        return real;
    }

    /** Copies an admitted folder with the rights of its owner; returns what was left out. */
    List<String> copy(Path real, FileTree to) throws IOException {
        try (var folder = HeldFolder.open(real)) {
            return TreeCopy.copy(
                    source(folder, real),
                    to,
                    name -> GENERATED.contains(name) || GitNames.isGitDirectory(name));
        } catch (NoSuchFileException e) {
            throw PURPOSE.invalid("\"%s\" was moved or removed meanwhile".formatted(real));
        }
    }

    private TreeCopy.Source source(HeldFolder folder, Path real) throws IOException {
        int uid = folder.uid();
        int server = folders.serverUid();
        if (uid == 0 || uid == server) {
            return new TreeCopy.Source(folder.files(), Optional.empty(), uid == 0);
        }
        if (server != 0) {
            throw PURPOSE.invalid(
                    "\"%s\" belongs to user %d; a server of user %d deploys folders of its own user and of root only"
                            .formatted(real, uid, server));
        }
        int gid = folder.gid();
        var owner = new HostUser(uid, gid == 0 ? uid : gid); // not in root's group either
        return new TreeCopy.Source(folder.files(), Optional.of(owner), false);
    }
}
