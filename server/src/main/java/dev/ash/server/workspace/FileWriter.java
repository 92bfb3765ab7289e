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

/** Puts a file into a pinned folder: made under a name of its own, then moved to its place. */
record FileWriter(OptionalInt owner) {
    private static final String PREFIX = ".ash-";
    private static final String SUFFIX = ".part";
    private static final Set<PosixFilePermission> PRIVATE =
            PosixFilePermissions.fromString("rw-------");
    private static final Set<PosixFilePermission> PLAIN =
            PosixFilePermissions.fromString("rw-r--r--");
    private static final Set<PosixFilePermission> EXECUTABLE =
            PosixFilePermissions.fromString("rwxr-xr-x");

    /** A file that is still being written, or was when the power went. */
    static boolean isUnfinished(String name) {
        return name.startsWith(PREFIX) && name.endsWith(SUFFIX);
    }

    void write(Pinned folder, RelativePath target, InputStream content, boolean executable)
            throws IOException {
        var before = permissions(folder, target);
        var part = PREFIX + UUID.randomUUID() + SUFFIX;
        try {
            copy(content, folder, part);
            try (var file = folder.child(part)) {
                FileRefusals.requireRegular(file.attributes(), target.toString());
                handOver(file);
                Files.setPosixFilePermissions(file.path(), executable ? EXECUTABLE : before);
            }
            folder.rename(part, target.name());
        } catch (IOException | RuntimeException e) {
            forget(folder, part);
            throw e;
        }
    }

    void link(Pinned folder, RelativePath link, String to) throws IOException {
        var part = PREFIX + UUID.randomUUID() + SUFFIX;
        folder.makeLink(part, to);
        try {
            folder.rename(part, link.name());
        } catch (IOException e) {
            forget(folder, part);
            throw e;
        }
    }

    /**
     * Gives what the server just made to the tree's owner. The agent may have exchanged it for
     * something else meanwhile: only what belongs to the server alone is given away.
     */
    void handOver(Pinned made) throws IOException {
        if (owner.isPresent()) {
            int uid = (int) Files.getAttribute(made.path(), "unix:uid");
            int links = (int) Files.getAttribute(made.path(), "unix:nlink");
            if (uid == 0 && (links == 1 || made.attributes().isDirectory())) {
                Files.setAttribute(made.path(), "unix:gid", owner.getAsInt());
                Files.setAttribute(made.path(), "unix:uid", owner.getAsInt());
            }
        }
    }

    private static void copy(InputStream content, Pinned folder, String name) throws IOException {
        var options = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        var mode = PosixFilePermissions.asFileAttribute(PRIVATE);
        try (var channel = Files.newByteChannel(folder.path().resolve(name), options, mode)) {
            content.transferTo(Channels.newOutputStream(channel));
        }
    }

    /** Who replaces a script without a word about its mode wants it to stay a script. */
    private static Set<PosixFilePermission> permissions(Pinned folder, RelativePath target)
            throws IOException {
        try (var file = folder.child(target.name())) {
            FileRefusals.requireRegular(file.attributes(), target.toString());
            return file.attributes().permissions();
        } catch (NoSuchFileException _) {
            return PLAIN;
        }
    }

    private static void forget(Pinned folder, String part) {
        try {
            folder.remove(part);
        } catch (IOException _) {
            // It is gone already, or will be seen as unfinished and shown to nobody.
        }
    }
}
