package dev.ash.server.agent;

import dev.ash.protocol.GitNames;
import dev.ash.protocol.TenantId;
import dev.ash.sandbox.launch.HostUser;
import dev.ash.server.project.HostDirectories;
import dev.ash.server.project.HostDirectories.Purpose;
import dev.ash.server.project.Roots;
import dev.ash.server.workspace.FileTree;
import dev.ash.server.workspace.PinnedDirectory;
import dev.ash.server.workspace.TreeCopy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Deploys agents from directories of the host, below those of {@code ASH_AGENT_ROOTS}. */
public final class AgentRoots {
    /** For a server without agent roots. */
    public static final AgentRoots NONE =
            new AgentRoots(Roots.none(Roots.AGENTS), HostDirectories.NONE);

    /** Generated files, which are not copied. */
    private static final Set<String> GENERATED =
            Set.of("node_modules", "__pycache__", ".venv", "venv", ".cache");

    private static final Purpose PURPOSE =
            new Purpose(
                    "path",
                    "upload the agent instead, with `ash deploy` or the field \"files\", which need no setting");

    private final Roots roots;
    private final HostDirectories directories;

    public AgentRoots(Roots roots, HostDirectories directories) {
        this.roots = roots;
        this.directories = directories;
    }

    /** Checks a directory requested by a client; returns its real path. */
    Path admit(TenantId tenant, String path) {
        var real = directories.admit(tenant, path, roots, PURPOSE);
        if (!Files.isDirectory(real, LinkOption.NOFOLLOW_LINKS)) {
            throw PURPOSE.invalid("\"%s\" is not a directory".formatted(path));
        }
        return real;
    }

    /** Copies an admitted directory with the permissions of its owner; returns skipped paths. */
    List<String> copy(Path real, FileTree to) throws IOException {
        try (var directory = PinnedDirectory.open(real)) {
            return TreeCopy.copy(
                    source(directory, real),
                    to,
                    name -> GENERATED.contains(name) || GitNames.isGitDirectory(name));
        } catch (NoSuchFileException e) {
            throw PURPOSE.invalid(
                    "\"%s\" was moved or removed during the deployment".formatted(real));
        }
    }

    private TreeCopy.Source source(PinnedDirectory directory, Path real) throws IOException {
        int uid = directory.uid();
        int serverUid = directories.serverUid();
        if (uid == 0 || uid == serverUid) {
            return new TreeCopy.Source(directory.files(), Optional.empty(), uid == 0);
        }
        if (serverUid != 0) {
            throw PURPOSE.invalid(
                    "\"%s\" belongs to user %d; the server runs as user %d and can deploy only directories of this user and of root"
                            .formatted(real, uid, serverUid));
        }
        int gid = directory.gid();
        var owner = new HostUser(uid, gid == 0 ? uid : gid); // never in root's group
        return new TreeCopy.Source(directory.files(), Optional.of(owner), false);
    }
}
