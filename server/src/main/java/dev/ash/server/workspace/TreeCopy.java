package dev.ash.server.workspace;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.sandbox.launch.HostUser;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.UserPrincipal;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Predicate;

/**
 * Copies a tree that others may change meanwhile into one that is the server's own. Every folder
 * and file is opened with the rights of one user, without following a link; what this user cannot
 * read fails the copy. Symbolic links are copied as links and must stay inside the tree.
 */
public final class TreeCopy {
    private static final int MAX_ENTRIES = 100_000;
    private static final long MAX_BYTES = 512L * 1024 * 1024;
    private static final Set<PosixFilePermission> OTHERS_WRITE =
            EnumSet.of(PosixFilePermission.GROUP_WRITE, PosixFilePermission.OTHERS_WRITE);
    private static final Set<PosixFilePermission> EXECUTE =
            EnumSet.of(
                    PosixFilePermission.OWNER_EXECUTE,
                    PosixFilePermission.GROUP_EXECUTE,
                    PosixFilePermission.OTHERS_EXECUTE);

    /**
     * What is copied.
     *
     * @param files the tree
     * @param reader whose rights count; absent for those of the server itself
     * @param onlyOfRoot whether nobody but root may be able to write in any folder of it
     */
    public record Source(FileTree files, Optional<HostUser> reader, boolean onlyOfRoot) {
        /** A tree that only the server writes in. */
        public static Source ofServer(FileTree files) {
            return new Source(files, Optional.empty(), false);
        }

        private <T> T read(Callable<T> work) throws IOException {
            try {
                return reader.isEmpty()
                        ? work.call()
                        : OnBehalf.of(reader.get().uid(), reader.get().gid(), work);
            } catch (IOException | RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new IOException(e);
            }
        }
    }

    private final Source from;
    private final FileTree to;
    private final Predicate<String> isLeftOut;
    private final List<String> leftOut = new ArrayList<>();
    private int entries;
    private long bytes;

    private TreeCopy(Source from, FileTree to, Predicate<String> isLeftOut) {
        this.from = from;
        this.to = to;
        this.isLeftOut = isLeftOut;
    }

    /** Files and folders whose names {@code isLeftOut} are not copied; their paths are returned. */
    public static List<String> copy(Source from, FileTree to, Predicate<String> isLeftOut)
            throws IOException {
        var copy = new TreeCopy(from, to, isLeftOut);
        copy.requireOnlyOfRoot(".", from.files().attributes(""));
        copy.folder("");
        Collections.sort(copy.leftOut);
        return List.copyOf(copy.leftOut);
    }

    private void folder(String folder) throws IOException {
        var children = from.read(() -> from.files().children(folder, MAX_ENTRIES + 1));
        entries += children.size();
        if (entries > MAX_ENTRIES) {
            throw tooLarge();
        }
        for (var child : children) {
            var path = folder.isEmpty() ? child.name() : folder + "/" + child.name();
            if (isLeftOut.test(child.name())) {
                leftOut.add(path);
            } else {
                add(path, child.attributes());
            }
        }
    }

    private void add(String path, PosixFileAttributes attributes) throws IOException {
        if (attributes.isDirectory()) {
            requireOnlyOfRoot(path, attributes);
            to.makeFolder(path);
            folder(path);
        } else if (attributes.isRegularFile()) {
            var executable = !Collections.disjoint(attributes.permissions(), EXECUTE);
            try (var file = from.read(() -> from.files().open(path, MAX_BYTES))) {
                bytes += file.size();
                if (bytes > MAX_BYTES) {
                    throw tooLarge();
                }
                to.write(path, file.content(), executable);
            }
        } else if (attributes.isSymbolicLink()) {
            var target = from.read(() -> from.files().linkTarget(path));
            if (!LinkTarget.staysInside(path, target)) {
                throw ApiException.invalid(
                        "path", path + " is a link that leads out of the agent's folder");
            }
            to.link(path, target);
        } else {
            throw ApiException.invalid("path", path + " is neither a file nor a folder");
        }
    }

    /** Where others can write, they can place a link to a file that only root may read. */
    private void requireOnlyOfRoot(String path, PosixFileAttributes attributes) {
        if (from.onlyOfRoot()
                && (!isRoot(attributes.owner())
                        || !Collections.disjoint(attributes.permissions(), OTHERS_WRITE))) {
            throw ApiException.invalid(
                    "path",
                    "others than root can write in %s, in a folder of root's. Give the whole folder to the user whose agent it is, or take these rights away"
                            .formatted(path));
        }
    }

    private static boolean isRoot(UserPrincipal user) {
        try {
            var users = FileSystems.getDefault().getUserPrincipalLookupService();
            return user.equals(users.lookupPrincipalByName("root"));
        } catch (IOException e) {
            return false;
        }
    }

    private static ApiException tooLarge() {
        return new ApiException(
                ErrorCode.PAYLOAD_TOO_LARGE,
                "The agent's folder has more than %d MiB or %d files"
                        .formatted(MAX_BYTES / 1024 / 1024, MAX_ENTRIES));
    }
}
