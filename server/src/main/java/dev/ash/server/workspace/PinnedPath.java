package dev.ash.server.workspace;

import java.io.IOException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;

/**
 * A handle to one file or directory. It refers to the same file even if its path is renamed or
 * replaced, and children are resolved relative to it. Pinning does not open files for reading, so
 * it never blocks, not even on a FIFO.
 *
 * <p>The JDK's {@code SecureDirectoryStream} is not sufficient: it opens each step for reading
 * without requiring a directory, and hangs on a FIFO in place of a directory.
 */
sealed interface PinnedPath extends AutoCloseable permits LinuxPinnedPath, PortablePinnedPath {
    static PinnedPath open(Path root) throws IOException {
        return LinuxPinnedPath.isSupported()
                ? LinuxPinnedPath.root(root)
                : PortablePinnedPath.root(root);
    }

    /** Like {@link #open}, but fails if any step of the absolute path is a link. */
    static PinnedPath openWithoutLinks(Path directory) throws IOException {
        var at = open(Path.of("/"));
        try {
            for (var name : directory) {
                var next = at.child(name.toString());
                at.close();
                at = next;
                if (!at.attributes().isDirectory()) {
                    throw FileErrors.rootNotFound();
                }
            }
            return at;
        } catch (IOException | RuntimeException e) {
            at.close();
            throw e;
        }
    }

    /** Returns a path that refers to this file until it is closed. */
    Path path();

    /** Pins an entry of this directory; for a link the link itself, not its target. */
    PinnedPath child(String name) throws IOException;

    void createDirectory(String name) throws IOException;

    void createLink(String name, String target) throws IOException;

    /** Renames an entry, replacing {@code to} unless it is a directory. */
    void rename(String from, String to) throws IOException;

    /** Removes an entry that is not a directory. */
    void remove(String name) throws IOException;

    PosixFileAttributes attributes() throws IOException;

    @Override
    void close();
}
