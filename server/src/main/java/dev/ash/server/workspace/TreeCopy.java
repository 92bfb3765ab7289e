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
 * Copies a tree that others may change concurrently into a tree of the server. Opens every
 * directory and file with the permissions of one user, without following links; fails if this user
 * cannot read it. Symbolic links are copied as links and must stay inside the tree.
 */
public final class TreeCopy {
    private static final int MAX_ENTRIES = 100_000;
    private static final long MAX_BYTES = 512L * 1024 * 1024;
    private static final Set<PosixFilePermission> SHARED_WRITE =
            EnumSet.of(PosixFilePermission.GROUP_WRITE, PosixFilePermission.OTHERS_WRITE);
    private static final Set<PosixFilePermission> EXECUTE =
            EnumSet.of(
                    PosixFilePermission.OWNER_EXECUTE,
                    PosixFilePermission.GROUP_EXECUTE,
                    PosixFilePermission.OTHERS_EXECUTE);

    /**
     * The tree to copy.
     *
     * @param reader the user whose permissions apply; absent for those of the server itself
     * @param mustBeRootOwned whether every directory must be writable by root alone
     */
    public record Source(FileTree files, Optional<HostUser> reader, boolean mustBeRootOwned) {
        /** A tree that only the server writes to. */
        public static Source ofServer(FileTree files) {
            return new Source(files, Optional.empty(), false);
        }

        private <T> T read(Callable<T> work) throws IOException {
            try {
                return reader.isEmpty()
                        ? work.call()
                        : RunAs.call(reader.get().uid(), reader.get().gid(), work);
            } catch (IOException | RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new IOException(e);
            }
        }
    }

    private final Source from;
    private final FileTree to;
    private final Predicate<String> isExcluded;
    private final List<String> excluded = new ArrayList<>();
    private int entries;
    private long bytes;

    private TreeCopy(Source from, FileTree to, Predicate<String> isExcluded) {
        this.from = from;
        this.to = to;
        this.isExcluded = isExcluded;
    }

    /** Skips files and directories with excluded names; returns their paths. */
    public static List<String> copy(Source from, FileTree to, Predicate<String> isExcluded)
            throws IOException {
        var copy = new TreeCopy(from, to, isExcluded);
        copy.requireRootOwned(".", from.files().attributes(""));
        copy.copyDirectory("");
        Collections.sort(copy.excluded);
        return List.copyOf(copy.excluded);
    }

    private void copyDirectory(String directory) throws IOException {
        var children = from.read(() -> from.files().children(directory, MAX_ENTRIES + 1));
        entries += children.size();
        if (entries > MAX_ENTRIES) {
            throw tooLarge();
        }
        for (var child : children) {
            var path = directory.isEmpty() ? child.name() : directory + "/" + child.name();
            if (isExcluded.test(child.name())) {
                excluded.add(path);
            } else {
                copyEntry(path, child.attributes());
            }
        }
    }

    private void copyEntry(String path, PosixFileAttributes attributes) throws IOException {
        if (attributes.isDirectory()) {
            requireRootOwned(path, attributes);
            to.createDirectory(path);
            copyDirectory(path);
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
                        "path", path + " is a link to a target outside the agent's directory");
            }
            to.createLink(path, target);
        } else {
            throw ApiException.invalid("path", path + " is neither a file nor a directory");
        }
    }

    /** Other users with write access could place a hard link to a file that only root may read. */
    private void requireRootOwned(String path, PosixFileAttributes attributes) {
        if (from.mustBeRootOwned()
                && (!isRoot(attributes.owner())
                        || !Collections.disjoint(attributes.permissions(), SHARED_WRITE))) {
            throw ApiException.invalid(
                    "path",
                    "%s is in a directory owned by root, but is writable by other users. Change the owner of the whole directory to the user of the agent, or remove the write permissions"
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
                "The agent's directory has more than %d MiB or %d files"
                        .formatted(MAX_BYTES / 1024 / 1024, MAX_ENTRIES));
    }
}
