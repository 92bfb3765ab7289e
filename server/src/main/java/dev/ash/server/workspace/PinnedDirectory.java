package dev.ash.server.workspace;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalInt;

/**
 * A directory of the host, opened without following links. Until it is closed it refers to the same
 * directory, even if its path is moved or replaced.
 */
public final class PinnedDirectory implements AutoCloseable {
    private final PinnedPath pinned;

    private PinnedDirectory(PinnedPath pinned) {
        this.pinned = pinned;
    }

    /** Opens a directory by its absolute real path. */
    public static PinnedDirectory open(Path directory) throws IOException {
        return new PinnedDirectory(PinnedPath.openWithoutLinks(directory));
    }

    public int uid() throws IOException {
        return (Integer) Files.getAttribute(pinned.path(), "unix:uid");
    }

    public int gid() throws IOException {
        return (Integer) Files.getAttribute(pinned.path(), "unix:gid");
    }

    public FileTree files() {
        return new FileTree(() -> pinned.child("."), OptionalInt.empty());
    }

    @Override
    public void close() {
        pinned.close();
    }
}
