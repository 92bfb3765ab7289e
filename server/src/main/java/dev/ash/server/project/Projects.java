package dev.ash.server.project;

import dev.ash.protocol.TenantId;
import dev.ash.sandbox.files.UidRange;
import dev.ash.sandbox.launch.HostUser;
import dev.ash.server.project.HostDirectories.Purpose;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** Decides which directories of the host sessions may work in, and as which user. */
public final class Projects {
    /** For a server that offers no directories. */
    public static final Projects NONE =
            new Projects(Roots.none(Roots.PROJECTS), HostDirectories.NONE);

    private static final String HINT =
            "set it to the directories that hold projects, and restart the server";
    private static final Purpose DIRECTORY = new Purpose("workingDirectory", HINT);
    private static final Purpose REPOSITORY = new Purpose("repository", HINT);

    private final Roots roots;
    private final HostDirectories directories;
    private final PairRepositories repositories;

    Projects(Roots roots, HostDirectories directories) {
        this.roots = roots;
        this.directories = directories;
        this.repositories = PairRepositories.in(directories.dataDir());
    }

    /**
     * Without configured roots, the tenant {@code default} may use the server's home directory,
     * unless the server runs as root.
     */
    public static Projects of(
            Optional<Roots> configured,
            Map<String, String> environment,
            HostDirectories directories) {
        var home = environment.getOrDefault("HOME", System.getProperty("user.home"));
        var none = Roots.none(Roots.PROJECTS);
        boolean hasHome = directories.serverUid() != 0 && home.startsWith("/");
        return new Projects(
                configured.orElse(hasHome ? none.and(List.of(Path.of(home).normalize())) : none),
                directories);
    }

    /** Checks that sessions of the tenant may work in the directory. */
    public Project admit(TenantId tenant, String path) {
        return inspect(directories.admit(tenant, path, roots, DIRECTORY), DIRECTORY);
    }

    /**
     * Checks a repository that only git accesses, confined, and no agent works in. It may therefore
     * belong to root, and repositories opened to pairs are admitted too.
     */
    public Project admitRepository(TenantId tenant, String path) {
        var open = roots.and(repositories.read());
        return inspect(directories.admit(tenant, path, open, REPOSITORY), REPOSITORY);
    }

    /**
     * Checks the git directory of a repository whose working tree is elsewhere, such as that of a
     * worktree. It is hidden, so its parent directory must be admitted.
     */
    public Project admitGitDirectory(TenantId tenant, Path real) {
        var open = roots.and(repositories.read());
        directories.admit(tenant, workingTree(real).toString(), open, REPOSITORY);
        return inspect(real, REPOSITORY);
    }

    private static Path workingTree(Path git) {
        for (var at = git; at != null; at = at.getParent()) {
            if (at.endsWith(".git") && at.getParent() != null) {
                return at.getParent();
            }
        }
        return git;
    }

    /** Returns the author of commits in a repository that does not configure one. */
    public Optional<GitUser> gitUser(Project project) {
        return directories.gitUsers().of(project);
    }

    /** Checks again the directory of an existing session, which may have changed. */
    public Project readmit(TenantId tenant, Path project) {
        var found = admit(tenant, project.toString());
        if (!found.path().equals(project)) {
            throw DIRECTORY.invalid(
                    "\"%s\" is now a link to another directory; the session works only in the one"
                                    .formatted(project)
                            + " it was created for");
        }
        return found;
    }

    private Project inspect(Path real, Purpose purpose) {
        try {
            var attributes =
                    Files.readAttributes(
                            real, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            if (!attributes.isDirectory()) {
                throw purpose.invalid("\"%s\" is not a directory".formatted(real));
            }
            var key =
                    Objects.requireNonNull(
                            attributes.fileKey(), "the file system has no file keys");
            return new Project(real, owner(real, purpose), key);
        } catch (IOException e) {
            throw purpose.invalid("\"%s\" cannot be accessed: %s".formatted(real, e.getMessage()));
        }
    }

    private Optional<HostUser> owner(Path directory, Purpose purpose) throws IOException {
        int serverUid = directories.serverUid();
        int uid = (Integer) Files.getAttribute(directory, "unix:uid", LinkOption.NOFOLLOW_LINKS);
        if (serverUid != 0) {
            if (uid != serverUid) {
                throw purpose.invalid(
                        ("\"%s\" belongs to user %d, and the server runs as user %d; sessions can use only"
                                        + " directories of the server's user")
                                .formatted(directory, uid, serverUid));
            }
            return Optional.empty();
        }
        if (uid == 0 && purpose.equals(REPOSITORY)) {
            return Optional.empty();
        }
        if (uid == 0) {
            throw purpose.invalid(
                    ("\"%s\" belongs to root, and no agent works as root. Change its owner to the user"
                                    + " of the project: chown -R USER %s")
                            .formatted(directory, directory));
        }
        if (UidRange.DEFAULT.contains(uid)) {
            throw purpose.invalid(
                    ("\"%s\" belongs to user %d, which is reserved for sandboxes. Change its owner to"
                                    + " the user of the project: chown -R USER %s")
                            .formatted(directory, uid, directory));
        }
        int gid = (Integer) Files.getAttribute(directory, "unix:gid", LinkOption.NOFOLLOW_LINKS);
        return Optional.of(new HostUser(uid, gid == 0 ? uid : gid)); // never in root's group
    }
}
