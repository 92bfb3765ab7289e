package dev.ash.server.project;

import dev.ash.protocol.TenantId;
import dev.ash.sandbox.files.UidRange;
import dev.ash.sandbox.launch.HostUser;
import dev.ash.server.project.HostFolders.Purpose;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** Decides which folders of the host sessions may work in, and as whom. */
public final class Projects {
    /** For a server that has no folders to offer. */
    public static final Projects NONE = new Projects(Roots.none(Roots.PROJECTS), HostFolders.NONE);

    private static final String HINT =
            "set it to the folders that hold projects, and start the server again";
    private static final Purpose FOLDER = new Purpose("workingDirectory", HINT);
    private static final Purpose REPOSITORY = new Purpose("repository", HINT);

    private final Roots roots;
    private final HostFolders folders;
    private final OpenRepositories repositories;

    Projects(Roots roots, HostFolders folders) {
        this.roots = roots;
        this.folders = folders;
        this.repositories = OpenRepositories.in(folders.dataDir());
    }

    /**
     * Where no roots are named: the home of an ordinary user, for the tenant {@code default}; and
     * nothing for root.
     */
    public static Projects of(
            Optional<Roots> named, Map<String, String> environment, HostFolders folders) {
        var home = environment.getOrDefault("HOME", System.getProperty("user.home"));
        var nothing = Roots.none(Roots.PROJECTS);
        boolean hasHome = folders.serverUid() != 0 && home.startsWith("/");
        return new Projects(
                named.orElse(hasHome ? nothing.and(List.of(Path.of(home).normalize())) : nothing),
                folders);
    }

    /** The folder behind a path that a client of a tenant named, if sessions may work there. */
    public Project admit(TenantId tenant, String path) {
        return look(folders.admit(tenant, path, roots, FOLDER), FOLDER);
    }

    /**
     * A folder with a repository that no agent works in: git alone runs there, behind a wall. So it
     * may be root's, and those count that are open to pairs alone.
     */
    public Project admitRepository(TenantId tenant, String path) {
        var open = roots.and(repositories.open());
        return look(folders.admit(tenant, path, open, REPOSITORY), REPOSITORY);
    }

    /**
     * The git directory of a repository whose working tree is elsewhere, such as a worktree's. It
     * is hidden, so the directory that holds it must be open.
     */
    public Project admitGitDirectory(TenantId tenant, Path real) {
        var open = roots.and(repositories.open());
        folders.admit(tenant, holder(real).toString(), open, REPOSITORY);
        return look(real, REPOSITORY);
    }

    private static Path holder(Path git) {
        for (var at = git; at != null; at = at.getParent()) {
            if (at.endsWith(".git") && at.getParent() != null) {
                return at.getParent();
            }
        }
        return git;
    }

    /** Whose name a commit in this folder carries, unless its repository names somebody. */
    public Optional<GitUser> gitUser(Project project) {
        return folders.gitUsers().of(project);
    }

    /** The same folder again, for a session that works in it: much may have changed meanwhile. */
    public Project stillAdmitted(TenantId tenant, Path project) {
        var found = admit(tenant, project.toString());
        if (!found.path().equals(project)) {
            throw FOLDER.invalid(
                    "\"%s\" has become a link to another folder; the session works only in the one"
                                    .formatted(project)
                            + " it was created for");
        }
        return found;
    }

    private Project look(Path real, Purpose purpose) {
        try {
            var attributes =
                    Files.readAttributes(
                            real, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            if (!attributes.isDirectory()) {
                throw purpose.invalid("\"%s\" is not a folder".formatted(real));
            }
            var key = Objects.requireNonNull(attributes.fileKey(), "files have no identity here");
            return new Project(real, user(real, purpose), key);
        } catch (IOException e) {
            throw purpose.invalid("\"%s\" cannot be looked at: %s".formatted(real, e.getMessage()));
        }
    }

    private Optional<HostUser> user(Path folder, Purpose purpose) throws IOException {
        int serverUid = folders.serverUid();
        int uid = (Integer) Files.getAttribute(folder, "unix:uid", LinkOption.NOFOLLOW_LINKS);
        if (serverUid != 0) {
            if (uid != serverUid) {
                throw purpose.invalid(
                        ("\"%s\" belongs to user %d, and the server runs as user %d; only folders of"
                                        + " its own user can be worked in")
                                .formatted(folder, uid, serverUid));
            }
            return Optional.empty();
        }
        if (uid == 0 && purpose.equals(REPOSITORY)) {
            return Optional.empty();
        }
        if (uid == 0) {
            throw purpose.invalid(
                    ("\"%s\" belongs to root, and no agent works as root. Give it to the user whose"
                                    + " project it is: chown -R USER %s")
                            .formatted(folder, folder));
        }
        if (UidRange.USUAL.contains(uid)) {
            throw purpose.invalid(
                    ("\"%s\" belongs to user %d, who is some sandbox's own; give it to the user"
                                    + " whose project it is: chown -R USER %s")
                            .formatted(folder, uid, folder));
        }
        int gid = (Integer) Files.getAttribute(folder, "unix:gid", LinkOption.NOFOLLOW_LINKS);
        return Optional.of(new HostUser(uid, gid == 0 ? uid : gid)); // nor in root's group
    }
}
