package dev.ash.server.workspace;

import java.io.IOException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;

/**
 * One file or folder held fast: whatever is renamed or linked around it, this stays the same one,
 * and its children are found in it and nowhere else. Pinning opens nothing for reading, so it never
 * waits, not even on a FIFO.
 *
 * <p>The JDK's {@code SecureDirectoryStream} does not do: it opens each step for reading without
 * asking for a directory, and hangs on a FIFO that was put in a folder's place.
 */
sealed interface Pinned extends AutoCloseable permits LinuxPinned, PlainPinned {
    static Pinned open(Path root) throws IOException {
        return LinuxPinned.isPossible() ? LinuxPinned.root(root) : PlainPinned.root(root);
    }

    /** As {@link #open}, but fails where any step of the absolute path is a link. */
    static Pinned openWithoutLinks(Path folder) throws IOException {
        var at = open(Path.of("/"));
        try {
            for (var name : folder) {
                var next = at.child(name.toString());
                at.close();
                at = next;
                if (!at.attributes().isDirectory()) {
                    throw FileRefusals.noRoot();
                }
            }
            return at;
        } catch (IOException | RuntimeException e) {
            at.close();
            throw e;
        }
    }

    /** Leads to this one, and only this one, until it is closed. */
    Path path();

    /** What has this name in this folder; a link is pinned itself, not where it leads. */
    Pinned child(String name) throws IOException;

    void makeFolder(String name) throws IOException;

    void makeLink(String name, String target) throws IOException;

    /** Replaces what {@code to} was, unless that is a folder. */
    void rename(String from, String to) throws IOException;

    /** Removes anything but a folder. */
    void remove(String name) throws IOException;

    PosixFileAttributes attributes() throws IOException;

    @Override
    void close();
}
