package dev.ash.server.project;

import dev.ash.protocol.ApiException;
import dev.ash.sandbox.files.UidRange;
import dev.ash.sandbox.launch.HostUser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
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
    public static final Projects NONE = new Projects(Roots.NONE, Path.of("/"), 0);

    /** What a folder is wanted for: the field that names it, and whether it may be root's. */
    private record Purpose(String field, boolean mayBeRoots) {
        private ApiException refused(String why) {
            return ApiException.invalid(field, why);
        }
    }

    private static final Purpose FOLDER = new Purpose("workingDirectory", false);
    private static final Purpose REPOSITORY = new Purpose("repository", true);
    private static final int MAX_LENGTH = 4096;

    private final Roots roots;
    private final OpenRepositories repositories;
    private final Path dataDir;
    private final int serverUid;

    Projects(Roots roots, Path dataDir, int serverUid) {
        this.roots = roots;
        this.repositories = OpenRepositories.in(dataDir);
        this.dataDir = dataDir;
        this.serverUid = serverUid;
    }

    /** Where no roots are named: the home of an ordinary user, and nothing for root. */
    public static Projects of(
            Optional<List<Path>> named, Map<String, String> environment, Path dataDir)
            throws IOException {
        var probe = Files.createTempFile(dataDir, ".owner", "");
        int uid;
        try {
            uid = owner(probe);
        } finally {
            Files.delete(probe);
        }
        var home = environment.getOrDefault("HOME", System.getProperty("user.home"));
        var roots =
                named.map(folders -> Roots.of(folders))
                        .orElseGet(
                                () ->
                                        uid == 0 || !home.startsWith("/")
                                                ? Roots.NONE
                                                : Roots.ofHome(Path.of(home)));
        return new Projects(roots, dataDir.toRealPath(), uid);
    }

    /** The folder behind a path that a client named, if sessions may work there. */
    public Project admit(String path) {
        return admit(path, roots, FOLDER);
    }

    /**
     * A folder with a repository that no agent works in: git alone runs there, behind a wall. So it
     * may be root's, and those count that are open to pairs alone.
     */
    public Project admitRepository(String path) {
        return admit(path, roots.and(repositories.open()), REPOSITORY);
    }

    private Project admit(String path, Roots open, Purpose purpose) {
        if (open.isEmpty()) {
            throw purpose.refused(
                    "no folder of this server's host is open to sessions; set ASH_PROJECT_ROOTS to"
                            + " the folders that hold projects, and start the server again");
        }
        var named = parse(path, purpose);
        // Asked before the disk is, so that nobody learns what there is elsewhere.
        if (!open.mayHold(named)) {
            throw outside(path, open, purpose);
        }
        Path real;
        try {
            real = named.toRealPath();
        } catch (IOException e) {
            throw purpose.refused(
                    "\"%s\" does not exist, or is not open to the server".formatted(path));
        }
        if (!open.hold(real)) {
            throw outside(path, open, purpose);
        }
        if (real.startsWith(dataDir) || dataDir.startsWith(real)) {
            throw purpose.refused(
                    "\"%s\" must neither hold nor lie in the server's data directory %s"
                            .formatted(path, dataDir));
        }
        return look(real, purpose);
    }

    /** The same folder again, for a session that works in it: much may have changed meanwhile. */
    public Project stillAdmitted(Path project) {
        var found = admit(project.toString());
        if (!found.path().equals(project)) {
            throw FOLDER.refused(
                    "\"%s\" has become a link to another folder; the session works only in the one"
                                    .formatted(project)
                            + " it was created for");
        }
        return found;
    }

    private static Path parse(String path, Purpose purpose) {
        try {
            if (path.startsWith("/") && path.length() <= MAX_LENGTH) {
                return Path.of(path).normalize();
            }
        } catch (InvalidPathException e) {
            // told below
        }
        throw purpose.refused("must be the absolute path of a folder on the server's host");
    }

    private Project look(Path real, Purpose purpose) {
        try {
            var attributes =
                    Files.readAttributes(
                            real, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            if (!attributes.isDirectory()) {
                throw purpose.refused("\"%s\" is not a folder".formatted(real));
            }
            var key = Objects.requireNonNull(attributes.fileKey(), "files have no identity here");
            return new Project(real, user(real, purpose), key);
        } catch (IOException e) {
            throw purpose.refused("\"%s\" cannot be looked at: %s".formatted(real, e.getMessage()));
        }
    }

    private Optional<HostUser> user(Path folder, Purpose purpose) throws IOException {
        int uid = owner(folder);
        if (serverUid != 0) {
            if (uid != serverUid) {
                throw purpose.refused(
                        ("\"%s\" belongs to user %d, and the server runs as user %d; only folders of"
                                        + " its own user can be worked in")
                                .formatted(folder, uid, serverUid));
            }
            return Optional.empty();
        }
        if (uid == 0 && purpose.mayBeRoots) {
            return Optional.empty();
        }
        if (uid == 0) {
            throw purpose.refused(
                    ("\"%s\" belongs to root, and no agent works as root. Give it to the user whose"
                                    + " project it is: chown -R USER %s")
                            .formatted(folder, folder));
        }
        if (UidRange.USUAL.contains(uid)) {
            throw purpose.refused(
                    ("\"%s\" belongs to user %d, who is some sandbox's own; give it to the user"
                                    + " whose project it is: chown -R USER %s")
                            .formatted(folder, uid, folder));
        }
        int gid = (Integer) Files.getAttribute(folder, "unix:gid", LinkOption.NOFOLLOW_LINKS);
        return Optional.of(new HostUser(uid, gid == 0 ? uid : gid)); // nor in root's group
    }

    private static int owner(Path path) throws IOException {
        return (Integer) Files.getAttribute(path, "unix:uid", LinkOption.NOFOLLOW_LINKS);
    }

    private static ApiException outside(String path, Roots open, Purpose purpose) {
        return purpose.refused(
                "\"%s\" does not lie in a folder that is open to sessions: %s. ASH_PROJECT_ROOTS of"
                                .formatted(path, open)
                        + " the server names others");
    }
}
