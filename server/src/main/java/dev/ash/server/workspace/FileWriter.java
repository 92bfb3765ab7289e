package dev.ash.server.workspace;

import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;

/** Writes files and links into pinned directories atomically, by renaming a temporary file. */
record FileWriter(OptionalInt owner) {
    private static final String PREFIX = ".ash-";
    private static final String SUFFIX = ".part";
    private static final Set<PosixFilePermission> PRIVATE =
            PosixFilePermissions.fromString("rw-------");
    private static final Set<PosixFilePermission> READABLE =
            PosixFilePermissions.fromString("rw-r--r--");
    private static final Set<PosixFilePermission> EXECUTABLE =
            PosixFilePermissions.fromString("rwxr-xr-x");

    /** Whether this is a temporary file, in use or left by an interrupted write. */
    static boolean isTemporary(String name) {
        return name.startsWith(PREFIX) && name.endsWith(SUFFIX);
    }

    void write(PinnedPath directory, RelativePath target, InputStream content, boolean executable)
            throws IOException {
        var permissions = permissions(directory, target);
        var temporary = PREFIX + UUID.randomUUID() + SUFFIX;
        try {
            copy(content, directory, temporary);
            try (var file = directory.child(temporary)) {
                FileErrors.requireRegular(file.attributes(), target.toString());
                transferOwnership(file);
                Files.setPosixFilePermissions(file.path(), executable ? EXECUTABLE : permissions);
            }
            directory.rename(temporary, target.name());
        } catch (IOException | RuntimeException e) {
            deleteTemporary(directory, temporary);
            throw e;
        }
    }

    void createLink(PinnedPath directory, RelativePath link, String target) throws IOException {
        var temporary = PREFIX + UUID.randomUUID() + SUFFIX;
        directory.createLink(temporary, target);
        try {
            directory.rename(temporary, link.name());
        } catch (IOException e) {
            deleteTemporary(directory, temporary);
            throw e;
        }
    }

    /**
     * Changes the owner of a new file or directory to the tree's owner. The agent may have replaced
     * it concurrently, so this changes only entries that belong to root and have no other link.
     */
    void transferOwnership(PinnedPath created) throws IOException {
        if (owner.isPresent()) {
            int uid = (int) Files.getAttribute(created.path(), "unix:uid");
            int links = (int) Files.getAttribute(created.path(), "unix:nlink");
            if (uid == 0 && (links == 1 || created.attributes().isDirectory())) {
                Files.setAttribute(created.path(), "unix:gid", owner.getAsInt());
                Files.setAttribute(created.path(), "unix:uid", owner.getAsInt());
            }
        }
    }

    private static void copy(InputStream content, PinnedPath directory, String name)
            throws IOException {
        var options = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        var mode = PosixFilePermissions.asFileAttribute(PRIVATE);
        try (var channel = Files.newByteChannel(directory.path().resolve(name), options, mode)) {
            content.transferTo(Channels.newOutputStream(channel));
        }
    }

    /** Returns the permissions of the existing file: replacing a script keeps it executable. */
    private static Set<PosixFilePermission> permissions(PinnedPath directory, RelativePath target)
            throws IOException {
        try (var file = directory.child(target.name())) {
            FileErrors.requireRegular(file.attributes(), target.toString());
            return file.attributes().permissions();
        } catch (NoSuchFileException _) {
            return READABLE;
        }
    }

    private static void deleteTemporary(PinnedPath directory, String temporary) {
        try {
            directory.remove(temporary);
        } catch (IOException _) {
            // Already deleted, or hidden from listings as a temporary file.
        }
    }
}
